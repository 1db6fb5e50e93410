import LocalPostgres
import TestSupport
import Testing

@testable import Postgres

/// Several hosts in one URL: a primary, its standby, and one that is silent.
@Suite(.ownThreads) struct HostsTests {
    typealias F = ServerFixture

    /// The standby of the other tests' server.
    private static let standby = Result {
        try LocalCluster(standbyOf: F.cluster.get(), LocalCluster.Options(password: "correct-horse"))
    }

    private static func url(_ ports: [Int?], _ wanted: String = "read-write") -> String {
        let hosts = ports.map { "127.0.0.1:\($0 ?? 0)" }.joined(separator: ",")
        return "postgresql://postgres:correct-horse@\(hosts)/postgres?target_session_attrs=\(wanted)"
    }

    @Test(arguments: ["read-write", "primary"])
    func connection_whenTheFirstHostIsAStandby_isTheSecondHosts(wanted: String) async throws {
        let ports = [try Self.standby.get().port, try F.cluster.get().port]
        let connection = try await Connection.open(.parse(url: Self.url(ports, wanted)))
        #expect(try await connection.run(F.sql("select pg_is_in_recovery()")).bool(0, 0) == false)
        await connection.close()
    }

    @Test func connection_whenEveryHostIsReadOnly_saysWhatIsMissing() async throws {
        let port = try Self.standby.get().port
        let configuration = try ConnectionConfiguration.parse(url: Self.url([port, port]))
        let error = await F.error { _ = try await Connection.open(configuration) }
        #expect(error?.code == .connectionFailed && error?.isTransient == true)
        #expect(error?.description.contains("promote the standby") == true, "\(String(describing: error))")
    }

    @Test func connection_whenTheFirstHostIsSilent_doesNotWaitForItsTimeout() async throws {
        let silent = try #require(LoopbackPort(backlog: 20))
        defer { withExtendedLifetime(silent) {} }
        let ports = [Int(silent.port), Int(silent.port), try Self.standby.get().port, try F.cluster.get().port]
        let configuration = try ConnectionConfiguration.parse(url: Self.url(ports), connectTimeout: .seconds(30))
        let start = ContinuousClock.now
        let connection = try await Connection.open(configuration)
        // A second for each of the two.
        #expect(ContinuousClock.now - start < .seconds(15))
        #expect(try await connection.run(F.sql("select pg_is_in_recovery()")).bool(0, 0) == false)
        await connection.close()
    }

    @Test func connection_whenAnyHostWillDo_keepsTheOrder() async throws {
        let silent = try #require(LoopbackPort(backlog: 20))
        defer { withExtendedLifetime(silent) {} }
        let ports = [Int(silent.port), try Self.standby.get().port]
        let configuration = try ConnectionConfiguration.parse(url: Self.url(ports, "any"), connectTimeout: .seconds(2))
        let start = ContinuousClock.now
        let connection = try await Connection.open(configuration)
        #expect(ContinuousClock.now - start >= .seconds(2))
        await connection.close()
    }

    @Test(arguments: ["any", "read-write"])
    func connection_whenItsServerBecomesReadOnly_isGivenUpWhereAWritableOneIsWanted(wanted: String) async throws {
        let connection = try await Connection.open(.parse(url: Self.url([try F.cluster.get().port], wanted)))
        // As after a reload with default_transaction_read_only, or behind a pooler whose server was demoted.
        _ = try await connection.run(F.sql("set default_transaction_read_only = on"))
        let error = await F.error { _ = try await connection.run(F.sql("create table refused ()")) }
        #expect(error?.sqlState == "25006" && connection.isUsable == (wanted == "any"))
        await connection.close()
    }

    @Test func timeouts_whenTheURLNamesThem_areItsOwn() throws {
        let plain = try ConnectionConfiguration.parse(url: "postgresql://localhost/x", connectTimeout: .seconds(7))
        #expect(plain.connectTimeout == .seconds(7))
        #expect(plain.attempts[0]["tcp_user_timeout"] == "6000" && plain.attempts[0]["keepalives_idle"] == "2")
        let url = "postgresql://localhost/x?connect_timeout=3&tcp_user_timeout=9000"
        let own = try ConnectionConfiguration.parse(url: url, connectTimeout: .seconds(7))
        #expect(own.connectTimeout == .seconds(3) && own.attempts[0]["connect_timeout"] == nil)
        #expect(own.attempts[0]["tcp_user_timeout"] == "9000")
    }
}

/// Behind real poolers: `DoctorTests`.
@Suite(.ownThreads) struct PoolingTests {
    @Test(arguments: [
        ([Pooling.Turn(first: 1, second: 2)], Pooling.session),
        ([.init(first: 1, second: 2), .init(first: 1, second: 3)], .session),
        // Both were answered by one process, though the first never left.
        ([.init(first: 1, second: 1)], .transaction),
        ([.init(first: 1, second: 2), .init(first: 1, second: 1)], .transaction),
        // Somebody else took the first one's meanwhile.
        ([.init(first: 1, second: 2), .init(first: 3, second: 2)], .transaction),
    ]) func mode_isToldByWhoAnswers(turns: [Pooling.Turn], mode: Pooling) { #expect(Pooling(behind: turns) == mode) }

    @Test func server_whenNobodyStandsBetween_isDirect() async throws {
        #expect(try await Pooling.of(ServerFixture.configuration()) == .direct)
    }

    @Test func server_whenItIsAway_isAnError() async throws {
        let error = await ServerFixture.error { _ = try await Pooling.of(.parse(url: "postgresql://a@127.0.0.1:1/a")) }
        #expect(error?.code == .connectionFailed)
    }
}
