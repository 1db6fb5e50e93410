package import Configuration
import Planning
import Service
import Policy
import Postgres
import Store
import Synchronization
package import TimeZones

package import struct FoundationEssentials.UUID

/// `nudged explain`: what the next sweep would decide for a user, and why. It uses the sweep's planner and data, and
/// writes nothing.
package struct ExplainRun: Sendable {
    private let access: DatabaseAccess
    private let planner: Planner
    private let names: DeviceNames

    /// - Throws: what is wrong with the configuration.
    package init(_ configuration: Configuration) throws {
        access = try DatabaseAccess(configuration)
        let assembly = try Assembly(configuration, zones: ZoneDatabase())
        planner = assembly.planner
        names = assembly.deviceNames
    }

    /// Explains the decision. Nil if neither nudged, the app nor the record has anything of that user.
    ///
    /// - Parameter at: the instant to explain. Nil: now. A past instant is answered from the record.
    /// - Throws: `PostgresError` or `SchemaError`.
    package func run(_ user: UUID, at: Instant?) async throws -> Explanation? {
        try await access.withStore { store in
            try await Self.explain(user, at: at, planner: planner, names: names, store: store)
        }
    }

    /// How many rows of the record are shown.
    private static let shownSends = 20
    /// For a past instant: the seconds before and after it whose record is shown.
    private static let around: Int64 = 86_400

    /// - Parameter now: for tests. Nil: the database's clock.
    static func explain(
        _ user: UUID,
        at: Instant?,
        planner: Planner,
        names: DeviceNames = DeviceNames(secret: ""),
        store: Store,
        now: Instant? = nil
    ) async throws -> Explanation? {
        try await store.reading { reader in
            let clock = Instant(seconds: try await reader.clock() / 1_000_000)
            let now = now ?? clock
            let isPast = at.map { $0 < now } ?? false
            let from = isPast ? (at ?? now) - around : Instant.first
            let records = try await reader.deliveries(
                of: user,
                from: from,
                through: isPast ? (at ?? now) + around : Instant.last,
                limit: isPast ? 200 : shownSends
            )
            var planner = planner
            planner.paused = try await reader.paused()
            planner.checkInTexts = CheckInTexts(
                standard: planner.checkInTexts.standard,
                templates: try await reader.templates()
            )
            guard var read = try await reader.user(user, now: now, until: at) else {
                // The user is unknown or erased. Show what the record still has.
                return records.isEmpty ? nil : Explanation(unknown: user, now: now, records: records)
            }
            // A fan-out that has not run yet has no reminder of this user in the database.
            let end = max(at ?? now, now) + 1
            var spreads = try await FutureSpreads(reader, planner: planner, start: now, end: end, only: user)
            read.user = spreads.take(for: [read.user]).first ?? read.user
            var explanation = Explanation(read, records: records, planner: planner, names: names, now: now, at: at)
            explanation.gaps = spreads.gaps
            return explanation
        }
    }
}
