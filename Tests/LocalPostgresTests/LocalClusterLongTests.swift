import Glibc
@testable import LocalPostgres
import TestSupport
import Testing

@Suite(.ownThreads) struct LocalClusterLongTests {
    @Test func cluster_whenStopped_leavesNothing() throws {
        let cluster = try LocalCluster()
        #expect(try cluster.sql("select 1 + 1") == "2\n")
        let server = try #require(cluster.serverID)
        cluster.stop()
        cluster.stop()
        #expect(access(cluster.folder, F_OK) != 0)
        #expect(kill(server, 0) != 0)
        #expect(throws: LocalPostgresError.self) { try cluster.start() }
    }

    @Test func url_whenTheFolderHasOddCharacters_isOneAllTheSame() throws {
        let cluster = try LocalCluster()
        defer { cluster.stop() }
        #expect(!cluster.url().dropFirst("postgresql://postgres@".count).prefix { $0 != ":" }.contains("/"))
        #expect(LocalCluster.percentEncoded("/tmp/a b'c") == "%2Ftmp%2Fa%20b%27c")
    }

    @Test func cluster_whenForgotten_isStoppedByDeinit() throws {
        var cluster: LocalCluster? = try LocalCluster()
        let server = try #require(cluster?.serverID)
        cluster = nil
        #expect(kill(server, 0) != 0)
    }

    @Test(arguments: [LocalCluster.StopMode.immediate, .fast, .kill])
    func cluster_whenRestarted_keepsItsData(mode: LocalCluster.StopMode) throws {
        let cluster = try LocalCluster(LocalCluster.Options(fsync: true))
        defer { cluster.stop() }
        try cluster.sql("create table kept as select 7 as n")
        try cluster.restart(mode)
        #expect(try cluster.sql("select n from kept") == "7\n")
    }

    @Test func cluster_withPasswordAndSettings_listensOnLoopbackOnly() throws {
        let options = LocalCluster.Options(maxConnections: 17, password: "s3cret", settings: ["work_mem": "5MB"])
        let cluster = try LocalCluster(options)
        defer { cluster.stop() }
        #expect(
            try cluster.sql("show max_connections; show work_mem; show listen_addresses") == "17\n5MB\n127.0.0.1\n"
        )
        let answer = try ChildProcess.run(["psql", "-XAtqc", "select 1", cluster.tcpURL()])
        #expect(answer == "1\n")
        #expect(throws: LocalPostgresError.self) {
            try ChildProcess.run(["psql", "-wXAtqc", "select 1", cluster.tcpURL(password: "wrong")])
        }
    }

    @Test func database_whenMadeFromTemplate_isItsCopy() throws {
        let cluster = try LocalCluster()
        defer { cluster.stop() }
        try cluster.createDatabase(named: "seed")
        try cluster.sql("create table t as select 1 as n", database: "seed")
        try cluster.createDatabase(named: "copy", template: "seed")
        #expect(try cluster.sql("select n from t", database: "copy") == "1\n")
        try cluster.dropDatabase(named: "copy")
        #expect(throws: LocalPostgresError.self) { try cluster.sql("select 1", database: "copy") }
    }

    @Test func cluster_whenBadSetting_failsWithTheServersMessage() {
        #expect {
            try LocalCluster(LocalCluster.Options(settings: ["no_such_setting": "1"]))
        } throws: { error in
            "\(error)".contains("no_such_setting")
        }
    }

    /// Only for the next test, which runs this process's own program once more: starts a cluster, says where, and waits.
    @Test(.enabled(if: getenv("NUDGED_CLUSTER_HOST") != nil))
    func host_waitsToBeKilled() throws {
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
