import Base
import Fixtures
import Metrics
import Testing

@testable import Configuration
@testable import Service

/// The keys of metrics and heartbeat.
@Suite struct ConfigurationMetricsTests {
    private let fixture = ConfigurationFixture()
    private let checks = ConfigurationChecks { $0.heartbeat = ConfigurationChecks.system.heartbeat }

    @Test func metrics_whenTheFileSaysThem() throws {
        let metrics = try fixture.load("metrics: {listen: \"[::1]:9464\", file: /srv/nudged.prom}\n").configuration
            .metrics
        #expect(metrics == Configuration.Metrics(listen: LoopbackAddress("[::1]:9464"), file: "/srv/nudged.prom"))
        #expect(try fixture.load("{}\n").configuration.metrics == Configuration.Metrics())
        var environment = ConfigurationFixture.environment
        environment["METRICS_LISTEN"] = "127.0.0.1:9464"
        let loaded = try fixture.load(environment: environment)
        #expect(loaded.configuration.metrics.listen == LoopbackAddress("127.0.0.1:9464"))
        #expect(loaded.rows.first { $0.key == "metrics.listen" }?.value == "127.0.0.1:9464")
    }

    @Test(arguments: ["0.0.0.0:9464", "10.1.2.3:9464", "[::]:9464", "localhost:9464", "9464", "127.0.0.1"])
    func listen_whenOthersCouldReachIt_isRefused(address: String) {
        #expect(
            fixture.faults("metrics: {listen: \"\(address)\"}\n") == [
                "nudged.yaml:1:19: metrics.listen: \"\(address)\" is not an address and a port that only this machine can reach: "
                    + "write an address of this machine and a port, 127.0.0.1:9464 or [::1]:9464"
            ]
        )
    }

    @Test func file_whenNobodyWouldReadIt_isRefused() {
        #expect(
            fixture.faults("metrics: {file: nudged.prom}\n") == [
                "nudged.yaml:1:17: metrics.file: it is not an absolute path: begin it with /"
            ]
        )
        #expect(
            fixture.faults("metrics: {file: /srv/nudged.txt}\n") == [
                "nudged.yaml:1:17: metrics.file: the textfile collector does not read such a name: let it end in .prom"
            ]
        )
    }

    @Test func heartbeat_whenTheFileSaysIt_isASecret() throws {
        let yaml = "heartbeat: {url: \"https://beat.example/planted\", interval: 5m, caFile: /etc/ca.pem}\n"
        let loaded = try fixture.load(yaml, checks: checks)
        #expect(
            loaded.configuration.heartbeat
                == Configuration.Heartbeat(
                    url: Secret("https://beat.example/planted"),
                    interval: .seconds(300),
                    caFile: "/etc/ca.pem"
                )
        )
        #expect(!ConfigurationReport.show(loaded).contains("planted"))
        #expect(try fixture.load("{}\n").configuration.heartbeat == nil)
        // As of every secret: a file that everyone reads is told.
        let open = try fixture.load(yaml, checks: checks, mode: 0o644)
        #expect(open.warnings.contains { $0.description.contains("heartbeat.url") })
    }

    @Test func heartbeat_fromACredential() throws {
        fixture.write("https://beat.example/planted\n", to: "heartbeat.url")
        var environment = ConfigurationFixture.environment
        environment["CREDENTIALS_DIRECTORY"] = fixture.folder
        let heartbeat = try fixture.load(environment: environment, checks: checks).configuration.heartbeat
        #expect(heartbeat?.url == Secret("https://beat.example/planted") && heartbeat?.interval == .seconds(60))
    }

    @Test(arguments: [
        "http://beat.example/planted", "https://name:planted@beat.example/", "ftp://beat.example/planted", "planted",
    ])
    func heartbeat_whenItCanNotBeUsed_isRefusedWithoutItsPath(url: String) {
        let faults = fixture.faults("heartbeat: {url: \"\(url)\"}\n", checks: checks)
        #expect(
            faults.count == 1 && faults[0].contains("heartbeat.url: ") && !faults[0].contains("planted"),
            "\(faults)"
        )
    }
}
