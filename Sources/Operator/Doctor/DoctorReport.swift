import APNs
import Configuration
import Core
import Glibc
import HTTPClient
import JSON
import Service
package import Systemd
import TimeZones

package struct DoctorReport: CommandOutput {
    let findings: [Finding]

    init(_ findings: [Finding]) {
        self.findings = Finding.Group.allCases.flatMap { group in findings.filter { $0.group == group } }
    }

    /// The parts run side by side, and each has a time limit. A part that fails or hangs hides no other.
    package static func examine(path: String?, environment: [String: String]) async -> DoctorReport {
        let configuration = ConfigurationFacts(path: path, environment: environment)
        let now = Instant(seconds: Int64(time(nil)))
        let zones = ZoneFacts(ZoneDatabase(), isChosen: !(environment["TZDIR"] ?? "").isEmpty, now: now)
        async let answers = DatabaseExamination.run(configuration.database, zones)
        async let lanes = lanes(configuration.apns)
        async let decision = decisionService(configuration.database ?? configuration.apns)
        let service = ServiceFacts(environment: environment)
        let (database, work) = await answers
        let ours = configuration.findings + zones.findings(now: now) + service.findings(work: work)
        return DoctorReport(ours + database + (await lanes) + [await decision.of(.decision, "connection")])
    }

    private static func lanes(_ configuration: Configuration?) async -> [Finding] {
        guard let apns = configuration?.apns, let lanes = try? Assembly.lanes(apns) else {
            return [Finding.unchecked("the configuration can't be used").of(.apple, "lanes")]
        }
        // All at once, and in the order of the configuration.
        let answers = lanes.map { lane in Task { await LaneFacts.ask(lane).findings } }
        var found: [Finding] = []
        for answer in answers { found += await answer.value }
        return found
    }

    /// `success` if there is no error. Else the worst: `configuration`, then `permission`, then `unavailable`.
    package var status: ExitStatus {
        let all = Set(findings.map(\.status))
        return [.configuration, .permission, .unavailable].first(where: all.contains) ?? .success
    }

    package func text(on screen: Screen) -> String { text(on: screen, findings) }

    package func troubles(on screen: Screen) -> String {
        text(on: screen, findings.filter { [.error, .warning].contains($0.level) })
    }

    private func text(on screen: Screen, _ shown: [Finding]) -> String {
        var page = TextPage(width: screen.width)
        var last = ""
        for finding in shown {
            let title = finding.group.title + (finding.subject.map { ": \($0)" } ?? "")
            if title != last {
                if !last.isEmpty { page.line("") }
                page.line(title)
            }
            page.columns("  ", [(finding.level.text, 9), (finding.check, 16)], finding.found)
            if let remedy = finding.remedy { page.columns("           ", [("fix:", 16)], remedy) }
            last = title
        }
        if !shown.isEmpty { page.line("") }
        page.line(sum)
        return page.text
    }

    package func painted(_ text: String, _ colour: Colour) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
            // Only a finding's first line is indented by two spaces.
            guard let level = Finding.Level.allCases.first(where: { line.hasPrefix("  \($0.text) ") }) else {
                return String(line)
            }
            return "  " + level.painted(colour) + line.dropFirst(2 + level.text.count)
        }.joined(separator: "\n")
    }

    private var sum: String {
        func count(_ level: Finding.Level) -> Int { findings.count { $0.level == level } }
        func text(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }
        var parts = [text(count(.error), "error"), text(count(.warning), "warning"), "\(count(.ok)) ok"]
        if count(.unchecked) > 0 { parts.append("\(count(.unchecked)) not checked") }
        return parts.joined(separator: ", ")
    }

    package var json: String { findings.map(\.fields).document }

    /// Whether the decision service can be reached. The request is a GET without the token and names no user.
    private static func decisionService(_ configuration: Configuration?) async -> Finding {
        guard let configuration else { return .unchecked("the configuration can't be used") }
        guard let decision = configuration.decision else { return .ok("no decision service is configured") }
        var settings = HTTPClientSettings()
        (settings.caFile, settings.concurrency, settings.deadline) = (decision.caFile, 1, .seconds(5))
        do {
            let url = try Decider.checked(decision.url, token: decision.token?.text)
            let client = try HTTPClient(settings)
            let answer = try await ending({ await client.close() }) { try await client.send(HTTPRequest(get: url)) }
            let verified = url.isEncrypted ? "; its certificate is verified" : ""
            let text = "\(url) answers with status \(answer.status) to a GET that names no user\(verified)"
            return answer.status < 500 ? .ok(text) : .warning(text).fix("see the service's own log")
        } catch let error as ConfigurationFault {
            return .error("\(error.key): \(error.what)").fix(error.remedy)
        } catch {
            return .error("\(error); until it answers, each user's fallback_strategy decides", .unavailable)
                .fix("check decision.url, and that the service runs; for a private authority set decision.caFile")
        }
    }
}
