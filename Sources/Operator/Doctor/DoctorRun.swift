import Configuration
import Service
import APNs
import Glibc
import TimeZones

/// `nudged doctor`: checks everything that sending depends on, and changes nothing. The parts run side by side, and
/// each has a time limit. A part that fails or hangs hides no other.
package struct DoctorRun: Sendable {
    private let path: String?
    private let environment: [String: String]

    /// - Parameters:
    ///   - path: the configuration file, from `--config`.
    ///   - environment: all variables; see `ProcessEnvironment.current()`.
    package init(path: String?, environment: [String: String]) {
        self.path = path
        self.environment = environment
    }

    package func run() async -> DoctorReport {
        let configuration = ConfigurationFacts(path: path, environment: environment)
        async let answers = DatabaseExamination.run(configuration.database)
        async let lanes = Self.lanes(configuration.apns)
        async let decision = DecisionFacts.ask(configuration.database ?? configuration.apns)
        let now = Instant(seconds: Int64(time(nil)))
        let isChosen = !(environment["TZDIR"] ?? "").isEmpty
        let zones = ZoneFacts(ZoneDatabase(), isChosen: isChosen, now: now)
        let service = ServiceFacts(environment: environment)
        let database = await answers
        var findings = configuration.findings
        findings += zones.findings(now: now, server: database.zoneOffsets, used: database.usedZones)
        findings += service.findings(work: database.work)
        findings += database.findings
        findings += await lanes
        findings.append(await decision.finding)
        return DoctorReport(findings)
    }

    /// The findings of each lane, in the order of the configuration. The lanes are checked side by side.
    private static func lanes(_ configuration: Configuration?) async -> [Finding] {
        guard let apns = configuration?.apns, let lanes = try? Assembly.lanes(apns) else {
            return [Finding.Place(.apple, "lanes").unchecked("the configuration can't be used")]
        }
        return await withTaskGroup(of: (Int, [Finding]).self) { group in
            for (index, lane) in lanes.enumerated() {
                group.addTask { (index, await LaneFacts.ask(lane).findings) }
            }
            var found: [[Finding]] = lanes.map { _ in [] }
            for await (index, findings) in group { found[index] = findings }
            return found.flatMap(\.self)
        }
    }
}
