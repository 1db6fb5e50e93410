import Glibc
import LocalPostgres

extension Fault {
    static let termination = Fault(name: "sigterm-in-mid-sweep") { plan in
        plan.rounds(quick: 3, full: 20, users: 250, scenery: Scenery(answers: 100...300, inFlight: 40)) { stage in
            let process = try await stage.service(accepting: stage.draw(100) + 5)
            let begin = Moment.now
            try await stage.stop(process)
            let took = begin.elapsed
            // The slowest answer and the time for the database. Not the response time-out: Apple answers.
            if took > 2000 + 5000 { stage.fail("the stop took \(took) ms") }
            let after = stage.taken.all.count { $0.at > begin.at }
            if after > 40 { stage.fail("\(after) pushes after SIGTERM: it went on claiming") }
            let left = try await stage.number("select (\(Stage.openRows)) + (select count(*) from nudged.member)")
            if left != 0 { stage.fail("\(left) intents and memberships are left") }
            stage.recovered(after: took)
        }
    }

    static let badReload = Fault(name: "sighup-with-a-bad-file") { plan in
        plan.once("bad, then good", users: 250, scenery: Scenery(answers: 40...80, inFlight: 8)) { stage in
            let file = stage.folder + "/nudged.yaml"
            try TextFile.write(file, "policy:\n  maxStalenessMinutes: 240\n")
            let process = try stage.start(["run", "--config", file])
            try await stage.awaitAccepted(5, by: process)
            // With the bad files' value in force, most check-ins would be too old to be sent.
            let stale = "policy:\n  maxStalenessMinutes: 1\n"
            let bad = [
                (stale + "  checkInTime: \"25:00\"\n", ["\(file):3", "policy.checkInTime"]),
                (stale + "schedule:\n  interval: [\n", ["\(file):", "the old configuration stays in force"]),
            ]
            for (text, parts) in bad {
                try TextFile.write(file, text)
                process.signal(SIGHUP)
                try await stage.wait(for: "the line about \(parts)") {
                    parts.allSatisfy { process.errorOutput.contains($0) } || process.exit != nil
                }
            }
            try await stage.serveAll([process])
        }
    }

    static let lostLogs = Fault(name: "logs-lost") { plan in
        ["stderr closed", "disk full", "journald gone"].map { kind in
            plan.round(kind, users: 150) { stage in
                let process = try await mute(stage, kind)
                try await stage.awaitIdle()
                // Each daemon writes its status every ten seconds.
                try await stage.wait(for: "lost lines in nudged.daemon") {
                    try await stage.number("select max((state->>'lost_lines')::int) from nudged.daemon") > 0
                }
                if kind == "stderr closed" {
                    // Descriptor 2 must not become a socket or event descriptor, or log lines would be written into it.
                    let name = SplitNetwork.link("/proc/\(process.id)/fd/2")
                    // Only root may read it: nudged is not dumpable.
                    let isWrong = name == nil ? geteuid() == 0 : name != "/dev/null"
                    if isWrong { stage.fail("descriptor 2 is \(name ?? "")") }
                }
                let page = try stage.start(["status"])
                try await stage.finish(page)
                if !page.output.contains("lost since it started") {
                    stage.fail("status does not show lost lines: \(page.output)")
                }
                let lost = try await stage.number("select max((state->>'lost_lines')::int) from nudged.daemon")
                stage.note("\(kind): \(lost) lines lost")
                try await stage.stop(process)
            }
        }
    }

    private static func mute(_ stage: Stage, _ kind: String) async throws -> ChildProcess {
        func shell(_ text: String) throws -> ChildProcess { try stage.service(wrapper: ["sh", "-c", text]) }
        switch kind {
        // Descriptor 2 is free then. If a socket to PostgreSQL got it, log lines would be sent there.
        case "stderr closed": return try shell("exec \"$0\" \"$@\" 2>&-")
        case "disk full": return try shell("exec \"$0\" \"$@\" 2>/dev/full")
        default:
            // As with systemd: a stream that JOURNAL_STREAM names, and whose reader is gone.
            let pipe = stage.folder + "/journal"
            let stream = "mkfifo '\(pipe)' && export JOURNAL_STREAM=$(stat -c %d:%i '\(pipe)')"
            return try shell("\(stream) && exec 3<>'\(pipe)' && exec \"$0\" \"$@\" 2>'\(pipe)' 3>&-")
        }
    }

    private static let wide = Scenery(inFlight: 1_000, batch: 1_000)

    static let scarcity = Fault(
        name: "scarcity",
        obstacle: { access("/usr/bin/prlimit", X_OK) == 0 ? nil : "needs prlimit (util-linux)" }
    ) { plan in
        [
            plan.round("64 descriptors", users: 150) { stage in
                let few = try stage.service(wrapper: ["prlimit", "--nofile=63:63"])
                try await stage.ends(few, by: 78, "63 descriptors")
                // Descriptors that a parent leaves open count too.
                let inheriting = try stage.service(
                    wrapper: [
                        "prlimit", "--nofile=84:84", "bash", "-c",
                        "for i in $(seq 10 30); do eval \"exec $i</dev/null\"; done; exec \"$0\" \"$@\"",
                    ]
                )
                try await stage.ends(inheriting, by: 78, "21 of 84 descriptors inherited")
                let process = try stage.service(wrapper: ["prlimit", "--nofile=64:64"])
                try await stage.awaitIdle()
                // A reload opens files again, so it needs descriptors too.
                process.signal(SIGHUP)
                try await stage.awaitLine("were read again", of: process)
                try await stage.stop(process)
            },
            plan.round("1 GB of addresses", users: plan.pick(quick: 2_000, full: 40_000), scenery: Self.wide) { stage in
                let process = try stage.service(wrapper: ["prlimit", "--as=1073741824"])
                try await stage.awaitIdle()
                let status = TextFile.read("/proc/\(process.id)/status") ?? ""
                let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
                stage.note("\(stage.population.people.count) users: \(line.filter { $0.isNumber }) kB resident at most")
                try await stage.stop(process)
            },
        ]
    }

    /// The disk with intents and record is full for a while. It is a small tmpfs, which only root can mount.
    static let fullDisk = Fault(name: "disk-full", obstacle: SmallDisk.obstacle) { plan in
        let scenery = Scenery(ownCluster: [:], answers: 20...100, inFlight: 40)
        return plan.rounds(quick: 1, full: 3, users: 300, scenery: scenery) { stage in
            let disk = try await onOwnThread { try SmallDisk(stage) }
            try await stage.sql("create tablespace small location '\(disk.path)'")
            try await stage.sql(
                """
                alter table nudged.intent set tablespace small;
                do $$ declare part regclass; begin
                    for part in select inhrelid from pg_inherits where inhparent = 'nudged.delivery'::regclass loop
                        execute format('alter table %s set tablespace small', part);
                    end loop;
                end $$;
                """
            )
            let process = try await stage.service(accepting: 20)
            try await onOwnThread { disk.fill() }
            try await stage.wait(for: "the server to run out of space") {
                stage.cluster.log.contains("No space left on device")
            }
            try await Task.sleep(for: .milliseconds(plan.pick(quick: 1500, full: 5000)))
            try await onOwnThread { try disk.clear() }
            try await stage.recover(process, within: .seconds(8))
        }
    }
}

struct SmallDisk: Sendable {
    let path: String

    init(_ stage: Stage) throws {
        path = stage.cluster.folder + "/small"
        guard mkdir(path, 0o700) == 0 else { throw FaultError("can't make \(path)") }
        var info = stat()
        stat(stage.cluster.folder + "/data", &info)
        let path = path
        let options = "size=2m,mode=700,uid=\(info.st_uid),gid=\(info.st_gid)"
        try ChildProcess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", path])
        // It must be unmounted before the folder is removed.
        stage.atEnd { _ = try? ChildProcess.run(["umount", "-l", path]) }
    }

    /// Writes until the disk is full. Then dd fails, as it should.
    func fill() { _ = try? ChildProcess.run(["dd", "if=/dev/zero", "of=\(path)/filler", "bs=4096"]) }

    func clear() throws { guard unlink(path + "/filler") == 0 else { throw FaultError("can't clear \(path)") } }

    /// Tries it, because root in a container may not mount.
    static func obstacle() -> String? {
        guard geteuid() == 0 else { return "mounting a tmpfs needs root" }
        let probe = "d=$(mktemp -d) && { mount -t tmpfs -o size=1m tmpfs $d && umount $d; s=$?; rmdir $d; exit $s; }"
        let tried = try? ChildProcess.run(["sh", "-c", probe])
        return tried == nil ? "this machine does not allow mounting a tmpfs" : nil
    }
}
