package import APNs
import Base
package import Configuration
package import Core
import OpenSSL
import Policy
package import Postgres
package import TimeZones

package struct Assembly: Sendable {
    let connection: ConnectionConfiguration
    let lanes: [SenderConfiguration]
    package let planner: Planner
    let settings: SweepSettings
    let schedule: Configuration.Schedule
    package let deviceNames: DeviceNames
    let decision: Configuration.Decision?
    let metrics: Configuration.Metrics?
    let heartbeat: Configuration.Heartbeat?

    /// Milliseconds without progress in a healthy loop: two statements at their time-out, one interval and a margin.
    var longestWait: Int64 { 2 * connection.statementTimeout.milliseconds + schedule.interval.milliseconds + 30_000 }

    package init(_ configuration: Configuration, zones: ZoneDatabase) throws {
        guard let apns = configuration.apns, let main = apns.lanes.first, let database = configuration.database
        else { throw ConfigurationFault(key: "apns", what: "is missing", remedy: "run nudged check-config") }
        connection = try Self.connection(database)
        schedule = configuration.schedule
        lanes = try Self.lanes(apns)
        deviceNames = DeviceNames(secret: main.privateKey)
        decision = configuration.decision
        metrics = configuration.metrics
        heartbeat = configuration.heartbeat
        var planner = Planner(
            policy: Policy(rules: configuration.policy, zones: zones),
            lanes: LaneDirectory(standard: lanes[0].identity, others: lanes.map(\.identity)),
            messages: configuration.messages
        )
        planner.asksService = decision != nil
        self.planner = planner
        settings = SweepSettings(configuration.schedule, apns)
    }

    /// Each lane with its sender's configuration, in the order of the configuration.
    /// - Throws: what is wrong with a lane's key.
    package static func lanes(_ apns: Configuration.APNs) throws(ConfigurationFault) -> [SenderConfiguration] {
        let most = FlightBudget(total: apns.maxInFlight, lanes: apns.lanes.count).room(own: 0, others: [])
        return try apns.lanes.map { lane throws(ConfigurationFault) in
            var sender = SenderConfiguration(
                teamID: lane.teamID,
                keyID: lane.keyID,
                signingKey: try signingKey(lane.privateKey),
                topic: lane.bundleID,
                environment: lane.environment,
                endpoint: lane.endpoint,
                caFile: lane.caFile
            )
            sender.maxInFlight = most
            sender.client.requestDeadline = apns.responseTimeout.milliseconds
            return sender
        }
    }

    /// Parses a signing key. Its text is not copied.
    static func signingKey(_ secret: Secret) throws(ConfigurationFault) -> P256SigningKey {
        do throws(SigningKeyError) {
            return try secret.withBytes { bytes throws(SigningKeyError) in try P256SigningKey(pem: bytes) }
        } catch {
            let remedy = error.remedy ?? "try it again, or use another key"
            throw ConfigurationFault(key: "apns.privateKey", what: error.problem, remedy: remedy)
        }
    }

    package static func connection(_ values: Configuration.Database) throws(PostgresError) -> ConnectionConfiguration {
        let timeout = values.statementTimeout
        return try connection(values.url.text, allowInsecure: values.allowInsecure, statementTimeout: timeout)
    }

    package static func connection(
        _ url: String,
        allowInsecure: Bool,
        statementTimeout: Duration = .seconds(10)
    ) throws(PostgresError) -> ConnectionConfiguration {
        try ConnectionConfiguration.parse(
            url: url,
            allowInsecure: allowInsecure,
            applicationName: "nudged",
            connectTimeout: .seconds(5),
            statementTimeout: statementTimeout
        )
    }
}

extension ConfigurationChecks {
    /// Checks values with the code that uses them. So `check-config`, the start and a reload report the same errors.
    package static let system = ConfigurationChecks {
        $0.key = { _ = try Assembly.signingKey($0) }
        $0.database = { url, allowInsecure in try databaseTarget(url, allowInsecure: allowInsecure) }
        $0.zone = { isZone($0) }
        $0.service = { url, token in _ = try Decider.checked(url, token: token) }
        $0.heartbeat = { url in _ = try HeartbeatCaller.checked(url) }
        $0.text = { title, body in _ = try Notification(title: title, body: body).rendered() }
    }

    private static func databaseTarget(_ url: String, allowInsecure: Bool) throws(ConfigurationFault) -> String {
        do throws(PostgresError) {
            return try Assembly.connection(url, allowInsecure: allowInsecure).description
        } catch {
            let what = error.detail ?? "libpq can't read it"
            let remedy = error.remedy ?? "write it as the reference says"
            throw ConfigurationFault(key: "database.url", what: what, remedy: remedy)
        }
    }

    /// A zone whose file can't be read now is not a fault of the configuration. Its users wait for the file.
    private static func isZone(_ name: String) -> Bool {
        do throws(TimeZoneError) {
            return try ZoneDatabase().zone(named: name) != nil
        } catch { return true }
    }
}
