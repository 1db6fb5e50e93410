import Glibc
import LocalPostgres
import Systemd
import TestSupport
import Testing

/// `nudged-bench faults`, ended from outside.
@Suite(.ownThreads) struct InterruptionTests {
    @Test(arguments: [SIGHUP, SIGINT, SIGTERM]) func faults_whenTheyAreInterrupted_leaveNoDaemon(number: Int32)
        async throws
    {
        let bench = try ChildProcess(
            [
                Built.path("nudged-bench"), "faults", "--quick", "--nudged", Built.path("nudged"), "--reference",
                Built.reference,
            ],
            output: .captured,
            error: .captured,
            ownSession: true
        )
        defer { bench.end(SIGKILL) }
        // The table's head comes once all is prepared; then minutes of rounds, with some daemon at nearly every moment.
        let isAtWork = await eventually(within: .seconds(180)) {
            bench.output.contains("accepted") && Self.daemons(session: bench.id) > 0 || bench.exit != nil
        }
        #expect(isAtWork)
        bench.signal(number)
        let exit = await bench.ended()
        #expect(exit == .code(ExitStatus.interrupted.rawValue), "\(exit) \(bench.output) \(bench.errorOutput)")
        // SIGKILL was sent before the end; the kernel may still be at it.
        #expect(await eventually { Self.daemons(session: bench.id) == 0 })
    }

    /// How many run in a session. By /proc: the second field of stat is the name in parentheses, the sixth the session.
    private static func daemons(session: Int32) -> Int {
        guard let folder = opendir("/proc") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while let entry = readdir(folder) {
            let text = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard let id = Int32(text), let file = fopen("/proc/\(id)/stat", "r") else { continue }
            defer { fclose(file) }
            var line = [CChar](repeating: 0, count: 512)
            guard fgets(&line, 512, file) != nil else { continue }
            let fields = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
                .split(separator: " ")
            // A killed one is a zombie until somebody reaps it.
            if fields.count > 5, fields[1] == "(nudged)", fields[2] != "Z", Int32(fields[5]) == session { count += 1 }
        }
        return count
    }
}
