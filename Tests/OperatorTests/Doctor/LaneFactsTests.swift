import HTTP2
import Systemd
import TestSupport
import Testing
import TimeZones

@testable import APNs
@testable import Operator
@testable import Core

@Suite struct LaneFactsTests {
    private static let lane = LaneIdentity(environment: "production", topic: "com.example.app")
    private static let asked = Instant(rfc3339: "2026-11-21T12:00:00Z") ?? Instant(seconds: 0)

    private static func findings(
        _ result: LaneProbe.Result,
        at server: SenderConfiguration.Endpoint = .init(host: "api.push.apple.com", port: 443)
    ) -> [String: Finding] {
        let facts = LaneFacts(
            lane: lane,
            keyID: "KEY1234567",
            teamID: "TEAM123456",
            server: server,
            report: LaneProbe.Report(result: result, trip: 100_000, askedAt: asked.seconds * 1_000_000)
        )
        return Dictionary(uniqueKeysWithValues: facts.findings.map { ($0.check, $0) })
    }

    private static func answer(_ status: Int, _ reason: String?) -> Finding? {
        findings(.answered(Answer(status: status, reason: reason), date: nil))["answer"]
    }

    /// A configuration that was changed by others could send everything there.
    @Test func server_whenItIsNotApples_isNamedAndIsNotCalledApple() {
        let results: [LaneProbe.Result] = [
            .answered(Answer(status: 400, reason: "BadDeviceToken"), date: nil),
            .answered(Answer(status: 403, reason: "InvalidProviderToken"), date: "Sat, 21 Nov 2026 10:00:00 GMT"),
            .unreachable(.connect, "no route"), .unanswered("no answer in time"), .unsigned("no key"),
        ]
        for result in results {
            let findings = Self.findings(result, at: .init(host: "push.example.com", port: 8443))
            let endpoint = findings["endpoint"]
            #expect(endpoint?.level == .warning && endpoint?.status == .success)
            #expect(endpoint?.found.hasPrefix("pushes go to push.example.com:8443, which is not Apple's") == true)
            #expect(endpoint?.remedy?.contains("remove apns.endpoint") == true)
            for finding in findings.values where finding.check != "endpoint" {
                #expect(!finding.found.contains("Apple"), "\(finding)")
            }
            #expect(Self.findings(result)["endpoint"] == nil)
        }
    }

    /// `Tests/Reference/doctor-answers.txt` has Apple's answers, and what doctor makes of each.
    @Test func answer_isJudgedAsWritten() throws {
        let lines = try Checkout.reference("doctor-answers")
        #expect(lines.count == 18)
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            let (status, reason) = (try #require(Int(words[0])), words[1] == "→" ? nil : words[1])
            let finding = try #require(Self.answer(status, reason), "\(line)")
            let wanted = Array(words.drop { $0 != "→" }.dropFirst())
            switch wanted[0] {
            case "ok": #expect(finding.level == .ok && finding.subject == "com.example.app (production)")
            case "warning": #expect(finding.level == .warning && finding.remedy != nil, "\(finding)")
            default:
                #expect(finding.level == .error && finding.status == .configuration, "\(finding)")
                #expect(finding.found.contains(reason ?? "?"), "\(finding)")
                #expect(finding.remedy?.contains(wanted[1]) == true, "\(finding)")
            }
        }
    }

    @Test func connection_whenItFails_saysTheStepAndLeavesTheRest() throws {
        for (code, word) in [
            (CloseReason.Code.resolve, "address"), (.connect, "TCP"), (.handshake, "TLS"),
            (.certificate, "certificate"), (.noHTTP2, "HTTP/2"),
        ] {
            let findings = Self.findings(.unreachable(code, "because"))
            let connection = try #require(findings["connection"])
            #expect(connection.status == .unavailable)
            #expect(connection.found.contains(word) && connection.found.contains("because"))
            #expect(findings["key"]?.level == .ok)
            #expect(findings["answer"]?.level == .unchecked && findings["clock"]?.level == .unchecked)
        }
    }

    @Test func key_whenItDoesNotSign_isTheError() {
        let findings = Self.findings(.unsigned("the key is no P-256 key"))
        #expect(findings["key"]?.status == .configuration && findings["connection"]?.level == .unchecked)
    }

    @Test func answer_whenNoneComes_isUnavailable() {
        let findings = Self.findings(.unanswered("no answer in time"))
        #expect(findings["answer"]?.status == .unavailable && findings["connection"]?.level == .ok)
    }

    /// The header says whole seconds, cut off.
    @Test(
        arguments: [
            ("Sat, 21 Nov 2026 11:59:59 GMT", Finding.Level.ok), ("Sat, 21 Nov 2026 12:00:00 GMT", .ok),
            ("Sat, 21 Nov 2026 12:00:02 GMT", .ok), ("Sat, 21 Nov 2026 12:00:04 GMT", .warning),
            ("Sat, 21 Nov 2026 11:59:56 GMT", .warning), ("Sat, 21 Nov 2026 12:30:00 GMT", .error),
            ("Sat, 21 Nov 2026 10:00:00 GMT", .error), ("yesterday", .unchecked), (nil, .unchecked),
        ] as [(String?, Finding.Level)]
    ) func clock_isHeldAgainstApplesDate(date: String?, expected: Finding.Level) {
        let findings = Self.findings(.answered(Answer(status: 400, reason: "BadDeviceToken"), date: date))
        #expect(findings["clock"]?.level == expected, "\(String(describing: findings["clock"]))")
    }
}
