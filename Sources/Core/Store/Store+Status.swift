package import Postgres
package import TimeZones

package import struct FoundationEssentials.UUID

/// The state of the work, as `nudged status` reads it. No count goes beyond `most` or `mostDue`.
package struct WorkStatus: Sendable, Equatable {
    /// Where counting ends.
    package static let most = 10_000
    /// Where counting due users ends. A backlog's estimated end needs more than `most`.
    package static let mostDue = 100_000

    /// The database's clock.
    package var now: Instant
    package var dueUsers: Int
    /// Since when the first of them is due.
    package var firstDue: Instant?
    /// Touches that no sweep has drained.
    package var touches: Int
    /// Intents that are being sent, or whose daemon has died.
    package var openIntents: Int
    package var openPushes: Int
    /// Unknown pushes of the last 24 hours.
    package var unknownPushes: Int
    package var freeRanges: Int = 0
    /// Fan-outs that are late; nil: none.
    package var fanOuts: WaitingFanOuts?
    package var pauses: [Pause] = []
    /// Daemons that were seen within a day, the longest running first.
    package var daemons: [DaemonRow]
    package var bindingFaults: [BindingFault] = []
}

/// Fan-outs that could have been due a minute ago, and are not finished: the view fails, or they are very large.
package struct WaitingFanOuts: Sendable, Equatable {
    /// Counted up to `WorkStatus.most`.
    package let count: Int
    /// When the first of them could be due.
    package let first: Instant
    package let reminderID: UUID
    package let subjectType: String
    package let subjectID: String
}

extension WaitingFanOuts {
    /// Reads the row of `Query.waitingFanOuts`; nil: there is none.
    init?(_ rows: Rows) throws(PostgresError) {
        guard rows.count > 0 else { return nil }
        self.init(
            count: Int(try rows.int8(0, 0)),
            first: try rows.nearest(0, 1) ?? Instant(seconds: 0),
            reminderID: try rows.uuid(0, 2),
            subjectType: try rows.text(0, 3),
            subjectID: try rows.text(0, 4)
        )
    }
}

package struct DaemonRow: Sendable, Equatable {
    /// New at each start of the program.
    package var id: UUID
    package var host: String
    package var pid: Int32
    package var version: String
    package var startedAt: Instant
    /// When it last wrote its row.
    package var seenAt: Instant
    /// Milliseconds since `seenAt`, by the database's clock.
    package var unseenMilliseconds: Int64
    /// Its state at `seenAt`: a JSON object.
    package var state: String
    /// The ranges that it owns, of -32 to 31, in order.
    package var ranges: [Int16] = []
    /// When its lease ends; nil: it is no member.
    package var aliveUntil: Instant?
}

extension Store {
    package func workStatus() async throws(PostgresError) -> WorkStatus {
        try await Self.workStatus(records.connection(), statementTimeout)
    }

    /// - Parameter timeout: nil: the connection's own.
    package static func workStatus(
        _ connection: Connection,
        _ timeout: Duration? = nil
    ) async throws(PostgresError) -> WorkStatus {
        let most = Parameter.int8(Int64(WorkStatus.most))
        let statements = [
            Query.status([most, .int4Array(RangeWalk.all), .int8(Int64(WorkStatus.mostDue))]), Query.daemons([most]),
            Query.pauses(), Query.waitingFanOuts([most]), Query.bindingFaults(),
        ]
        let rows = try await connection.transaction(statements, settings: pinnedPlans, timeout: timeout)
        let work = rows[0]
        return WorkStatus(
            now: Instant(roundingDown: try work.timestamp(0, 0)),
            dueUsers: Int(try work.int8(0, 1)),
            firstDue: try work.timestampOrNull(0, 2).map(Instant.init(roundingDown:)),
            touches: Int(try work.int8(0, 3)),
            openIntents: Int(try work.int8(0, 4)),
            openPushes: Int(try work.int8(0, 5)),
            unknownPushes: Int(try work.int8(0, 6)),
            freeRanges: Int(try work.int8(0, 7)),
            fanOuts: try WaitingFanOuts(rows[3]),
            pauses: try Self.pauses(rows[2]),
            daemons: try rows[1].decoded(DaemonRow.init),
            bindingFaults: try rows[4].decoded(BindingFault.init)
        )
    }
}
