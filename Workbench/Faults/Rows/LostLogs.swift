import Glibc
import LocalPostgres

extension Fault {
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
}
