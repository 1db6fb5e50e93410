import Base
import Fixtures
import Testing

@testable import Configuration
@testable import Service

/// The decision service's keys.
@Suite struct ConfigurationDecisionTests {
    private let fixture = ConfigurationFixture()

    private func checks() -> ConfigurationChecks {
        ConfigurationChecks { $0.service = ConfigurationChecks.system.service }
    }

    @Test func decision_whenTheFileSaysIt() throws {
        let yaml = """
            decision:
              url: https://decide.example/v1
              token: planted-token
              timeout: 500ms
              concurrency: 64
              caFile: /etc/ca.pem
            """
        let decision = try fixture.load(yaml, checks: checks()).configuration.decision
        #expect(
            decision
                == Configuration.Decision(
                    url: "https://decide.example/v1",
                    token: Secret("planted-token"),
                    timeout: .milliseconds(500),
                    concurrency: 64,
                    caFile: "/etc/ca.pem"
                )
        )
    }

    @Test func decision_whenOnlyTheAddressIsGiven_hasTheDefaults() throws {
        var environment = ConfigurationFixture.environment
        #expect(try fixture.load(environment: environment).configuration.decision == nil)
        environment["DECISION_URL"] = "http://127.0.0.1:8080"
        let decision = try fixture.load(environment: environment, checks: checks()).configuration.decision
        #expect(
            decision
                == Configuration.Decision(
                    url: "http://127.0.0.1:8080",
                    token: nil,
                    timeout: .seconds(2),
                    concurrency: 8,
                    caFile: nil
                )
        )
    }

    @Test(arguments: [
        (
            "http://decide.example:81/planted",
            "users' texts are not sent to http://decide.example:81 unencrypted: write https://host/path; "
                + "http:// is allowed only for this machine (localhost, 127.0.0.1, [::1])"
        ),
        (
            "https://name:planted@decide.example/",
            "the address can't be used: it is not of the form https://host/path, or it contains a user: "
                + "write https://host/path"
        ),
    ])
    func address_whenItCanNotBeUsed_saysWhyWithoutTheRest(url: String, fault: String) {
        #expect(
            fixture.faults("decision:\n  url: \(url)\n", checks: checks()) == [
                "nudged.yaml:2:8: decision.url: \(fault)"
            ]
        )
    }

    @Test(arguments: ["ftp://decide.example/", "decide.example", "https://a b/"])
    func address_whenItIsNone_saysWhatIsWanted(url: String) {
        let faults = fixture.faults("decision:\n  url: \"\(url)\"\n", checks: checks())
        #expect(
            faults.count == 1
                && faults[0].hasSuffix("http:// where the host is this machine (localhost, 127.0.0.1, [::1])")
        )
    }

    @Test func token_whenItHoldsASpace_isRefusedWithoutItsText() {
        let faults = fixture.faults("decision: {url: \"https://a.example/\", token: planted token}\n", checks: checks())
        #expect(faults.count == 1 && faults[0].contains("decision.token: ") && !faults[0].contains("planted"))
    }

    @Test func lease_whenItIsTooShortForTheTimeout_isRefused() {
        let decision = "decision: {url: \"https://a.example/\", timeout: 11s}\n"
        #expect(
            fixture.faults(decision) == [
                "nudged.yaml:1:48: decision.timeout: 11s is more than a third of schedule.lease (30s): "
                    + "make the lease at least 33s, or the timeout at most 10s"
            ]
        )
        #expect(fixture.faults(decision + "schedule: {lease: 33s}\n") == [])
        #expect(fixture.faults("decision: {timeout: 11s}\n") == [], "no service, no rule")
    }
}
