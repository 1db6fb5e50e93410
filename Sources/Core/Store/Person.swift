import Policy
import Postgres
import TimeZones

import struct FoundationEssentials.UUID

/// A user's own row, as `Query.claimPeople`, `Query.readUsers` and `Query.readDue` read it.
struct Person: Sendable {
    let userID: UUID
    let version: Int64
    /// In microseconds since 1970.
    let dueAt: Int64
    var touchedAt: Instant?
    var since: Instant?
    var fingerprint: Int64?
    var evaluatedAt: Instant?
    var history = History()
    var retry: String?
    var quarantine: String?
    var template: Int32?

    /// A user whose row the next drain inserts. Version 0 is one less than the first.
    init(newcomer userID: UUID, dueAt: Int64) {
        self.userID = userID
        version = 0
        self.dueAt = dueAt
    }

    init(_ rows: Rows, _ row: Int) throws(PostgresError) {
        userID = try rows.uuid(row, 0)
        version = try rows.int8(row, 1)
        dueAt = try rows.timestamp(row, 2)
        touchedAt = Instant(microseconds: try rows.timestampOrNull(row, 3))
        since = Instant(microseconds: try rows.timestampOrNull(row, 4))
        fingerprint = try rows.int8OrNull(row, 5)
        evaluatedAt = Instant(microseconds: try rows.timestampOrNull(row, 6))
        history = try Self.history(rows, row)
        retry = try rows.textOrNull(row, 11)
        quarantine = try rows.textOrNull(row, 12)
        template = try rows.int4OrNull(row, 13)
    }

    private static func history(_ rows: Rows, _ row: Int) throws(PostgresError) -> History {
        let instants = try rows.timestampArray(row, 7)
        let slots = try rows.dateArray(row, 8)
        var checkIns: [CheckIn] = []
        // The arrays have the same length, unless a person changed them. Elements without a partner are left out.
        for (at, slot) in zip(instants, slots) {
            guard let at = Instant(microseconds: at), let slot = LocalDate(slot: slot) else { continue }
            checkIns.append(CheckIn(at: at, slot: slot))
        }
        return History(
            checkIns: checkIns,
            closed: try rows.dateArray(row, 9).compactMap(LocalDate.init(slot:)),
            sent: try rows.timestampArray(row, 10).compactMap(Instant.init(microseconds:))
        )
    }
}

extension LocalDate {
    /// A check-in's slot. nil for years outside 1970 to 9999, which only a person can have written. After the last date
    /// of all, the search for the next slot would never end.
    init?(slot days: Int32?) {
        guard let days, (0...2_932_896).contains(days) else { return nil }
        self.init(days: days)
    }
}
