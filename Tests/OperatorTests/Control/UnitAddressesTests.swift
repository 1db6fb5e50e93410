import Fixtures
import Glibc
import Service
import TestSupport
import Testing

@testable import Configuration
@testable import Operator

@Suite struct UnitAddressesTests {
    private let fixture = ConfigurationFixture()

    private func addresses(_ environment: [String: String]) throws -> UnitAddresses {
        try UnitAddresses(fixture.load(nil, environment: ConfigurationFixture.environment.merging(environment) { $1 }))
    }

    /// The lines that are no comments.
    private static func settings(_ text: String) -> [String] {
        text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
    }

    @Test func dropIn_namesAllThatTheConfigurationNeeds() throws {
        let unit = try addresses([
            "DATABASE_URL": "postgresql://me:planted@db-1.test,db-2.test:5433/app?sslmode=verify-full",
            "DECISION_URL": "https://decide.test:8443/path", "HEARTBEAT_URL": "https://beat.test/planted-path",
            "METRICS_LISTEN": "127.0.0.1:9464",
        ])
        let known = [
            "db-1.test": ["10.0.0.5", "2001:db8::5"], "db-2.test": ["10.0.0.6"], "decide.test": ["192.0.2.7"],
            "beat.test": ["198.51.100.8"],
        ]
        let text = try unit.dropIn(nameServers: ["127.0.0.53", "9.9.9.9"]) { known[$0] ?? [] }
        #expect(
            Self.settings(text) == [
                "[Service]", "IPAddressDeny=any", "IPAddressAllow=localhost",
                "IPAddressAllow=\(UnitAddresses.apples.joined(separator: " "))",
                "IPAddressAllow=10.0.0.5 2001:db8::5", "IPAddressAllow=10.0.0.6", "IPAddressAllow=192.0.2.7",
                "IPAddressAllow=198.51.100.8", "IPAddressAllow=9.9.9.9", "SocketBindAllow=tcp:9464",
            ]
        )
        #expect(text.contains("\n# The database: db-2.test.\n") && text.contains("may change"))
        #expect(!text.contains("planted"))
        #expect(text.hasPrefix("# /etc/systemd/system/nudged.service.d/addresses.conf: "))
    }

    @Test func dropIn_whenAllIsOnThisMachine_allowsLocalhostAlone() throws {
        let unit = try addresses([
            "DATABASE_URL": "postgresql:///app?host=/run/postgresql", "APNS_ENDPOINT": "https://localhost:2197",
        ])
        let text = try unit.dropIn(nameServers: ["127.0.0.53"]) { _ in ["127.0.0.1", "::1"] }
        #expect(Self.settings(text) == ["[Service]", "IPAddressDeny=any", "IPAddressAllow=localhost"])
    }

    /// Only the operator knows where Prometheus is.
    @Test(arguments: ["127.0.0.1:9464", "[::]:9464"]) func dropIn_whenOthersReadTheMetrics_namesWhatToAdd(
        listen: String
    ) throws {
        let unit = try addresses([
            "DATABASE_URL": "postgresql:///app?host=/run/postgresql", "METRICS_LISTEN": listen,
            "METRICS_TOKEN": "planted-token-0123456789",
        ])
        let text = try unit.dropIn(nameServers: []) { _ in [] }
        #expect(Self.settings(text).last == "SocketBindAllow=tcp:9464")
        #expect(text.contains("# Allow Prometheus' address") == (listen == "[::]:9464") && !text.contains("planted"))
    }

    /// A database that is cut off would be worse than one that is not confined.
    @Test func dropIn_whenANameHasNoAddress_isRefused() throws {
        let unit = try addresses(["DATABASE_URL": "postgresql://me@db.test/app?sslmode=verify-full"])
        do throws(CommandFailure) {
            _ = try unit.dropIn(nameServers: []) { _ in [] }
            Issue.record("a drop-in without the database")
        } catch {
            #expect(error.description.hasPrefix("the database, db.test, has no address: "))
        }
    }

    @Test func peers_whenAnAddressIsGiven_areNotItsName() throws {
        let url = "postgresql://db.test/app?hostaddr=10.0.0.9&sslmode=verify-full"
        #expect(try addresses(["DATABASE_URL": url]).peers.map(\.host) == ["10.0.0.9"])
        #expect(UnitAddresses.addresses(of: "10.0.0.9") == ["10.0.0.9"])
        #expect(UnitAddresses.addresses(of: "2001:db8::9") == ["2001:db8::9"])
    }

    @Test func nameServers_areTheResolvers() {
        let path = fixture.write(
            "# nameserver 10.0.0.1\nsearch x\nnameserver 10.0.0.2\nnameserver\tfe80::1%eth0\nnameserver name\n",
            to: "resolv.conf"
        )
        #expect(UnitAddresses.nameServers(in: path) == ["10.0.0.2", "fe80::1"])
        #expect(UnitAddresses.nameServers(in: fixture.folder + "/none").isEmpty)
    }

    @Test func example_hasApplesNetworks() throws {
        let text = try Checkout.text("systemd/examples/addresses.conf")
        #expect(text.contains("\nIPAddressAllow=\(UnitAddresses.apples.joined(separator: " "))\n"))
    }
}
