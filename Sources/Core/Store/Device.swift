package import FoundationEssentials
import Postgres
package import TimeZones

/// A row of the view `nudged.device`.
package struct Device: Sendable, Equatable {
    /// The device token as the app stored it, hexadecimal if the app is right. Never logged.
    package let token: String
    /// When the app last presented the token, in microseconds since 1970. It tells one registration from the next.
    package let registration: Int64?
    /// As the row has it, such as `sandbox` or `production`; nil: the configured environment.
    package var environment: String?
    /// The bundle id, as the row has it; nil: the configured topic.
    package var topic: String?
}

extension Device {
    /// With a registration in whole seconds.
    package init(token: String, registeredAt: Instant?, environment: String? = nil, topic: String? = nil) {
        self.init(token: token, registration: registeredAt?.microseconds, environment: environment, topic: topic)
    }

    init?(_ rows: Rows, _ row: Int, from column: Int) throws(PostgresError) {
        guard let token = try rows.textOrNull(row, column) else { return nil }
        self.init(
            token: token,
            registration: try rows.timestampOrNull(row, column + 1),
            environment: try rows.textOrNull(row, column + 2),
            topic: try rows.textOrNull(row, column + 3)
        )
    }

    /// `registration` in whole seconds, rounded down.
    package var registeredAt: Instant? { Instant(microseconds: registration) }
}

/// What an answer of Apple says about a device's environment: an element of the column `nudged.person.quarantine`.
package struct EnvironmentNote: Sendable, Equatable {
    package enum State: String, Sendable {
        /// The lane's window blames the device: nothing is sent to it here until it registers again. → `moved`.
        /// `Query.quarantine` writes it, without a name.
        case refused
        /// BadDeviceToken came once, and the window is open. The other environment is tried. → `moved`, `refused`.
        case suspected
        /// It was tried here, and refused. The next registration is tried again.
        case tried
        /// It works in the other environment of this topic. This never changes for a token.
        case moved
    }

    package let userID: UUID
    /// Never logged.
    package let token: String
    package let deviceHash: String
    /// The environment that the state is about: `sandbox` or `production`.
    package let environment: String
    package let topic: String
    package let state: State
    let registration: Int64?
    let at: Instant
    package let reason: String

    /// Where a device that has moved works. nil: it has not moved.
    package var newEnvironment: String? {
        guard state == .moved else { return nil }
        return environment == "production" ? "sandbox" : "production"
    }

    /// For statements about notes: who, which device, where, since which registration, when and why.
    static func columns(_ notes: [EnvironmentNote]) -> [Parameter] {
        [
            .uuidArray(notes.map(\.userID)), .textArray(notes.map(\.deviceHash)), .textArray(notes.map(\.environment)),
            .textArray(notes.map(\.topic)), .int8Array(notes.map(\.registration)), .textArray(notes.map(\.at.rfc3339)),
            .textArray(notes.map(\.reason)),
        ]
    }

    /// One note for each device and lane, since several nudges of a flight can bring the same one.
    static func distinct(_ notes: [EnvironmentNote]) -> [EnvironmentNote] {
        var seen: Set<[String]> = []
        // In the order of user_id, like all writers that wait for locks.
        return notes.sorted { $0.userID < $1.userID }.filter {
            seen.insert([$0.userID.uuidString, $0.deviceHash, $0.environment, $0.topic, $0.state.rawValue]).inserted
        }
    }
}
