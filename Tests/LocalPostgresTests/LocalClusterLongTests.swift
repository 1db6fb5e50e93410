import Glibc
import LocalPostgres
import TestSupport
import Testing

@Suite(.ownThreads) struct LocalClusterLongTests {
    /// Only for the next test, which runs this process's own program once more: starts a cluster, says where, and waits.
    @Test(.enabled(if: getenv("NUDGED_CLUSTER_HOST") != nil)) func host_waitsToBeKilled() throws {
        let cluster = try LocalCluster()
        let line = "HOST \(cluster.folder) \(cluster.serverID ?? 0)\n"
        _ = Array(line.utf8).withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
        var byte: UInt8 = 0
        while read(0, &byte, 1) != 0 {}
        cluster.stop()
    }

    @Test(.enabled(if: getenv("NUDGED_CLUSTER_HOST") == nil))
    func server_whenParentIsKilled_endsAndItsFolderGoes() throws {
        var environment = OwnProgram.environment
        environment["NUDGED_CLUSTER_HOST"] = "1"
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { ends.forEach { close($0) } }
        let host = try ChildProcess(
            OwnProgram.arguments + ["--filter", "host_waitsToBeKilled"],
            environment: environment,
            input: .descriptor(ends[0]),
            output: .captured,
            error: .captured
        )
        defer { host.end(SIGKILL) }
        let isUp = host.waitForOutput(.seconds(300)) { $0.contains("HOST ") && $0.hasSuffix("\n") }
        try #require(isUp, "\(host.output)\(host.errorOutput)")
        let line = try #require(host.output.split(separator: "\n").first { $0.hasPrefix("HOST ") })
        let words = line.split(separator: " ").map(String.init)
        let server = try #require(Int32(words[2]))
        #expect(kill(server, 0) == 0)

        host.signal(SIGKILL)
        // The watchdog is nobody's child now; a shell that waits for the folder to go is the signal, with a deadline.
        let gone = try ChildProcess(["sh", "-c", "while [ -e \"$1\" ]; do sleep 0.02; done", "sh", words[1]])
        #expect(gone.wait(.seconds(30)) == .code(0))
        gone.end(SIGKILL)
        // Reaped by init, or a zombie where there is none: but it runs no more.
        #expect(kill(server, 0) != 0 || Self.isZombie(server))
    }

    private static func isZombie(_ id: Int32) -> Bool {
        let status = (try? ChildProcess.run(["cat", "/proc/\(id)/stat"])) ?? ") Z"
        return status.contains(") Z")
    }
}
