import Glibc
import LocalPostgres

extension Fault {
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
