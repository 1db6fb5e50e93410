package import Configuration
import Core
import Service
import Policy
import Postgres
import Synchronization
package import TimeZones

package import struct FoundationEssentials.UUID

/// `nudged explain`: what a user gets next or what stands in the way, and why. It uses the sweep's planner and data,
/// and writes nothing.
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
    /// - Parameter at: the instant to explain, at most `mostDaysAhead`. Nil: now. A past instant is answered from the
    ///   record.
    /// - Throws: `PostgresError` or `SchemaError`.
    package func run(_ user: UUID, at: Instant?) async throws -> Explanation? {
        try await access.withStore { store in
            try await Self.explain(user, at: at, planner: planner, names: names, store: store)
        }
    }

    /// How far ahead an instant can be explained. Every day until then is simulated.
    package static let mostDaysAhead: Int64 = 366
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
            // As a sweep finds the user.
            guard let read = try await reader.user(user, now: now) else {
                // The user is unknown or erased. Show what the record still has.
                return records.isEmpty ? nil : Explanation(unknown: user, now: now, records: records)
            }
            var facts = Explanation.Facts(read: read, records: records)
            facts.pauses = try await reader.pauses()
            facts.daemons = try await reader.daemons()
            facts.leftOut = try await reader.devicesLeftOut(of: user)
            var planner = planner
            planner.paused = Set(facts.pauses.filter { $0.resumedAt == nil }.map(\.kind))
            planner.checkInTexts = CheckInTexts(
                standard: planner.checkInTexts.standard,
                templates: try await reader.templates()
            )
            try await addReminders(to: &facts, reader, planner, now: now, end: isPast ? nil : max(at ?? now, now))
            return Explanation(facts, planner: planner, names: names, now: now, at: at)
        }
    }

    /// Adds the reminders of fan-outs that have not run yet, which have no row of the user, and the reminders of the
    /// days to come.
    ///
    /// - Parameter end: the explained instant. Nil for a past one.
    private static func addReminders(
        to facts: inout Explanation.Facts,
        _ reader: SnapshotReader,
        _ planner: Planner,
        now: Instant,
        end: Instant?
    ) async throws {
        let user = facts.read.user.userID
        var due = try await FutureFanOuts(reader, planner: planner, start: now, end: now + 1, only: user)
        facts.read.user = due.take(for: [facts.read.user]).first ?? facts.read.user
        facts.gaps = due.gaps
        guard let end else { return }
        let last = end + Outlook.days * 86_400
        guard let coming = try await reader.user(user, now: now, until: last)?.user else { return }
        // A view that can't be read now can't be read a second time either.
        guard due.gaps.isEmpty else {
            facts.coming = coming
            return
        }
        var later = try await FutureFanOuts(reader, planner: planner, start: now, end: last, only: user)
        facts.coming = later.take(for: [coming]).first ?? coming
        facts.gaps = later.gaps
    }
}
