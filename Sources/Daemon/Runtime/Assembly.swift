import APNs
import Policy
import Postgres
import Store
package import TimeZones

/// What a valid configuration comes to: the values that the parts are made of.
package struct Assembly: Sendable {
    let connection: ConnectionConfiguration
    let sender: SenderConfiguration
    let judge: Judge
    let settings: SweepSettings
    let schedule: Configuration.Schedule
    let statementTimeout: Duration

    /// - Throws: `ConfigurationError`-worded problems of what only the parts themselves can check: the URL, the key, the payload.
    package init(_ configuration: Configuration, zones: ZoneDatabase) throws {
        guard let apns = configuration.apns, let database = configuration.database else {
            throw ConfigurationFault(key: "apns", what: "is missing", mend: "run nudged check-config")
        }
        connection = try Self.connection(database)
        statementTimeout = database.statementTimeout
        schedule = configuration.schedule
        sender = try Self.sender(apns)
        judge = Judge(
            policy: Policy(rules: try configuration.policy.rules(), zones: zones),
            lane: LaneIdentity(environment: apns.environment.rawValue, topic: apns.bundleID)
        )
        settings = SweepSettings(
            batch: configuration.schedule.batch,
            leaseMilliseconds: configuration.schedule.lease.milliseconds,
            responseMilliseconds: apns.responseTimeout.milliseconds,
            maxInFlight: apns.maxInFlight,
            payload: try Self.payload(configuration.checkIn)
        )
    }

    private static func connection(_ database: Configuration.Database) throws -> ConnectionConfiguration {
        do throws(PostgresError) {
            return try ConnectionConfiguration.parse(
                url: database.url.text, allowInsecure: database.allowInsecure, applicationName: "nudged",
                connectTimeout: .seconds(5), statementTimeout: database.statementTimeout
            )
        } catch {
            throw ConfigurationFault(key: "database.url", what: "\(error)", mend: error.mend ?? "see database.url in README.md")
        }
    }

    private static func sender(_ apns: Configuration.APNs) throws -> SenderConfiguration {
        var sender = SenderConfiguration(
            teamID: apns.teamID, keyID: apns.keyID, signingKeyPEM: apns.privateKey.text, topic: apns.bundleID,
            environment: apns.environment == .production ? .production : .sandbox,
            endpoint: apns.endpoint.map { SenderConfiguration.Endpoint(host: $0.host, port: $0.port) },
            caFile: apns.caFile
        )
        sender.connections = apns.connections
        sender.maxInFlight = apns.maxInFlight
        sender.requestDeadline = apns.responseTimeout.milliseconds
        return sender
    }

    /// The words are the same for everyone, so the payload is rendered once and shared by all pushes.
    private static func payload(_ checkIn: Configuration.CheckIn) throws -> [UInt8] {
        do {
            return try Notification(title: checkIn.title, body: checkIn.body).rendered()
        } catch {
            throw ConfigurationFault(
                key: "checkIn.body", what: "\(error)", mend: "shorten checkIn.title or checkIn.body; nothing is cut silently"
            )
        }
    }
}

/// A value that has the right form, and that the part which uses it refuses.
public struct ConfigurationFault: Error, Sendable, CustomStringConvertible {
    /// The dotted key.
    public let key: String
    /// What is wrong, never the value.
    public let what: String
    /// What to do.
    public let mend: String

    /// In one line.
    public var description: String { "\(key): \(what); \(mend)" }
}

extension Duration {
    /// Whole milliseconds, rounded down.
    var milliseconds: Int64 { Int64(self / .milliseconds(1)) }
}

extension Configuration.PolicyRules {
    /// The same as the policy's own type, which checks the ranges once more.
    func rules() throws -> Rules {
        try Rules(
            defaultTimezone: defaultTimezone,
            checkInTime: checkInTime,
            spreadMinutes: spreadMinutes,
            quietHours: quietHours.map { QuietHours(start: $0.start, end: $0.end) },
            quietEndJitterMinutes: quietEndJitterMinutes,
            maxStalenessMinutes: maxStalenessMinutes,
            maxPerHour: maxPerHour.map(Int64.init),
            maxPerDay: maxPerDay.map(Int64.init)
        )
    }
}
