import Base
import Fixtures
import Metrics
import TestSupport
import Testing

@testable import Configuration
@testable import Service

@Suite struct ConfigurationChecksTests {
    private let fixture = ConfigurationFixture()
    private let keys = ConfigurationChecks { $0.key = ConfigurationChecks.system.key }
    private let database = ConfigurationChecks { $0.database = ConfigurationChecks.system.database }
    private let service = ConfigurationChecks { $0.service = ConfigurationChecks.system.service }
    private let heartbeat = ConfigurationChecks { $0.heartbeat = ConfigurationChecks.system.heartbeat }

    /// `Tests/Reference/configuration-checks.txt` says what is wrong with an address.
    @Test func fault_whenTheFileSays() throws {
        let lines = try Checkout.reference("configuration-checks")
        #expect(lines.count == 2 * 6)
        for place in stride(from: 0, to: lines.count - 1, by: 2) {
            let (yaml, fault) = (lines[place].replacing("⏎", with: "\n"), lines[place + 1].drop { $0 == " " })
            let isDatabase = yaml.hasPrefix("database")
            let without = isDatabase ? ["DATABASE_URL"] : []
            let found = fixture.faults("\(yaml)\n", without: without, checks: isDatabase ? database : service)
            #expect(found == ["nudged.yaml:\(fault)"])
        }
    }

    @Test func url_whenItIsShown_hasHostAndRoleButNoPassword() throws {
        let yaml = "database:\n  url: postgresql://me:planted@db.example:6432/app?sslmode=verify-full\n"
        let loaded = try fixture.load(yaml, without: ["DATABASE_URL"], checks: database)
        let row = loaded.rows.first { $0.key == "database.url" }
        #expect(row?.value == "me@db.example:6432/app sslmode=verify-full" && row?.isSecret == true)
        #expect(!loaded.table.contains("planted"))
        #expect(!loaded.json.contains("planted"))
    }

    @Test func key_whenItIsRSA_saysTheFixOnce_andOnP256IsTaken() {
        let expected =
            "environment APNS_PRIVATE_KEY: apns.privateKey: the key is a private key, but not an elliptic curve key: "
            + "use the .p8 file of an APNs authentication key (Apple Developer, Keys), not a certificate's key"
        #expect(fixture.faults(with: ["APNS_PRIVATE_KEY": GeneratedKey.rsa()], checks: keys) == [expected])
        let key = GeneratedKey.ellipticCurve(415)
        #expect(fixture.faults(with: ["APNS_PRIVATE_KEY": key], checks: keys).isEmpty)
    }

    // MARK: The decision service

    @Test func decision_whenTheFileSaysIt() throws {
        let yaml = """
            decision:
              url: https://decide.example/v1
              token: planted-token
              timeout: 500ms
              concurrency: 64
              caFile: /etc/ca.pem
            """
        let decision = try fixture.load(yaml, checks: service).configuration.decision
        let expected = Configuration.Decision(
            url: "https://decide.example/v1",
            token: Secret("planted-token"),
            timeout: .milliseconds(500),
            concurrency: 64,
            caFile: "/etc/ca.pem"
        )
        #expect(decision == expected)
    }

    @Test func decision_whenOnlyTheAddressIsGiven_hasTheDefaults() throws {
        #expect(try fixture.load().configuration.decision == nil)
        let url = "http://127.0.0.1:8080"
        let decision = try fixture.load(with: ["DECISION_URL": url], checks: service).configuration.decision
        let expected = Configuration.Decision(url: url, token: nil, timeout: .seconds(2), concurrency: 8, caFile: nil)
        #expect(decision == expected)
    }

    @Test(arguments: ["ftp://decide.example/", "decide.example", "https://a b/"])
    func address_whenItIsNone_saysWhatIsWanted(url: String) {
        let faults = fixture.faults("decision:\n  url: \"\(url)\"\n", checks: service)
        let wanted = "http:// where the host is this machine (localhost, 127.0.0.1, [::1])"
        #expect(faults.count == 1 && faults[0].hasSuffix(wanted))
    }

    @Test func token_whenItHoldsASpace_isRefusedWithoutItsText() {
        let faults = fixture.faults("decision: {url: \"https://a.example/\", token: planted token}\n", checks: service)
        #expect(faults.count == 1 && faults[0].contains("decision.token: ") && !faults[0].contains("planted"))
    }

    @Test func lease_whenItIsTooShortForTheTimeout_isRefused() {
        let decision = "decision: {url: \"https://a.example/\", timeout: 11s}\n"
        let expected =
            "nudged.yaml:1:48: decision.timeout: 11s is more than a third of a daemon's lease (30s): "
            + "make it at most 10s"
        #expect(fixture.faults(decision) == [expected] && fixture.faults(decision + "schedule: {lease: 33s}\n") == [])
        #expect(fixture.faults("decision: {timeout: 11s}\n") == [], "no service, no rule")
    }

    // MARK: Metrics and heartbeat

    @Test func metrics_whenTheFileSaysThem() throws {
        let metrics = try fixture.load("metrics: {listen: \"[::1]:9464\"}\n").configuration.metrics
        #expect(metrics?.listen == ListenAddress("[::1]:9464") && metrics?.token == nil)
        #expect(try fixture.load("{}\n").configuration.metrics == nil)
        let loaded = try fixture.load(with: ["METRICS_LISTEN": "127.0.0.1:9464"])
        #expect(loaded.configuration.metrics?.listen == ListenAddress("127.0.0.1:9464"))
        #expect(loaded.rows.first { $0.key == "metrics.listen" }?.value == "127.0.0.1:9464")
    }

    @Test(arguments: ["0.0.0.0:9464", "10.1.2.3:9464", "[::]:9464", "[2001:db8::9]:9464"])
    func listen_whenOthersReachIt_needsATokenOrConsent(address: String) throws {
        let listen = "listen: \"\(address)\""
        let refused = [
            "nudged.yaml:1:19: metrics.listen: other machines can reach \(address), and metrics.token is missing: "
                + "write a token (openssl rand -hex 24) to /etc/nudged/credentials/metrics.token and load it with a drop-in "
                + "(docs/OPERATIONS.md, Secrets), or set METRICS_TOKEN; or set metrics.token: open, if everyone who can "
                + "reach the address may read the metrics"
        ]
        #expect(fixture.faults("metrics: {\(listen)}\n") == refused)
        // An empty value is no consent.
        #expect(fixture.faults("metrics: {\(listen), token: }\n") == refused)
        let open = try fixture.load("metrics: {\(listen), token: open}\n", mode: 0o644)
        #expect(open.configuration.metrics?.listen.description == address)
        #expect(open.configuration.metrics?.token == nil && open.warnings.isEmpty)
        #expect(open.rows.first { $0.key == "metrics.token" }?.value == "open")
        fixture.write("0123456789-planted-token\n", to: "metrics.token")
        let loaded = try fixture.load("metrics: {\(listen)}\n", with: ["CREDENTIALS_DIRECTORY": fixture.folder])
        #expect(loaded.configuration.metrics?.token == Secret("0123456789-planted-token"))
        #expect(!loaded.table.contains("planted-token"))
        #expect(loaded.table.contains("metrics.token"))
        // Commands that don't run the daemon may not have the token.
        #expect(fixture.faults("metrics: {\(listen)}\n", needs: .database) == [])
    }

    @Test(arguments: [
        "0123456789-planted", String(repeating: "a", count: 501), "0123456789 planted token",
        "0123456789,planted,token", "0123456789-plänted-token", "\"0123456789-planted\"",
    ]) func token_whenItCantBeOne_isRefusedAndNotShown(token: String) {
        // The address is no second fault.
        let expected =
            "environment METRICS_TOKEN: metrics.token: the value is wrong: "
            + "write 20 to 500 letters, digits and -._~+/=, or open"
        #expect(fixture.faults("metrics: {listen: \"0.0.0.0:9464\"}\n", with: ["METRICS_TOKEN": token]) == [expected])
    }

    @Test func heartbeat_whenTheFileSaysIt_isASecret() throws {
        let yaml = "heartbeat: {url: \"https://beat.example/planted\", interval: 5m, caFile: /etc/ca.pem}\n"
        let loaded = try fixture.load(yaml, checks: heartbeat)
        let url = Secret("https://beat.example/planted")
        let expected = Configuration.Heartbeat(url: url, interval: .seconds(300), caFile: "/etc/ca.pem")
        #expect(loaded.configuration.heartbeat == expected)
        #expect(!loaded.table.contains("planted"))
        #expect(try fixture.load("{}\n").configuration.heartbeat == nil)
        // As of every secret: a file that everyone reads is told.
        let open = try fixture.load(yaml, checks: heartbeat, mode: 0o644)
        #expect(open.warnings.contains { $0.description.contains("heartbeat.url") })
    }

    @Test func heartbeat_fromACredential() throws {
        fixture.write("https://beat.example/planted\n", to: "heartbeat.url")
        let more = ["CREDENTIALS_DIRECTORY": fixture.folder]
        let found = try fixture.load(with: more, checks: heartbeat).configuration.heartbeat
        #expect(found?.url == Secret("https://beat.example/planted") && found?.interval == .seconds(60))
    }

    @Test(arguments: [
        "http://beat.example/planted", "https://name:planted@beat.example/", "ftp://beat.example/planted", "planted",
    ]) func heartbeat_whenItCanNotBeUsed_isRefusedWithoutItsPath(url: String) {
        let faults = fixture.faults("heartbeat: {url: \"\(url)\"}\n", checks: heartbeat)
        #expect(faults.count == 1 && faults[0].contains("heartbeat.url: "), "\(faults)")
        #expect(!"\(faults)".contains("planted"), "\(faults)")
    }
}
