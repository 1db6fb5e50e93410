import Postgres
import TimeZones

import struct FoundationEssentials.UUID

/// A user's own row, as `Query.claimPeople`, `Query.readUsers` and `Query.readDue` read it.
struct Person: Sendable {
    let userID: UUID
    let turn: Int32
    let version: Int64
    /// In microseconds since 1970.
    let dueAt: Int64
    var evaluatedAt: Instant?
    var since: Instant?
    var touchedAt: Instant?
    var retry: String?
    var quarantine: String?
    var state = UserState()

    /// A user whose row the next drain inserts. Version 0 is one less than the first.
    init(newcomer userID: UUID, dueAt: Int64) {
        self.userID = userID
        turn = 0
        version = 0
        self.dueAt = dueAt
    }

    init(_ rows: Rows, _ row: Int) throws(PostgresError) {
        userID = try rows.uuid(row, 0)
        turn = try rows.int4(row, 1)
        version = try rows.int8(row, 2)
        dueAt = try rows.timestamp(row, 3)
        evaluatedAt = Instant(microseconds: try rows.timestampOrNull(row, 4))
        since = Instant(microseconds: try rows.timestampOrNull(row, 5))
        touchedAt = Instant(microseconds: try rows.timestampOrNull(row, 6))
        retry = try rows.textOrNull(row, 7)
        quarantine = try rows.textOrNull(row, 8)
        guard let bytes = try rows.bytesOrNull(row, 9) else { return }
        guard let state = UserState(bytes: bytes) else {
            throw PostgresError(.unexpectedResult, object: "column state", detail: "can't be read")
        }
        self.state = state
    }
}
