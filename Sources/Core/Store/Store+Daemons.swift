package import Postgres
import TimeZones

extension Store {
    /// The state of the work and of the daemons.
    package func workStatus() async throws(PostgresError) -> WorkStatus {
        try Self.workStatus(try await transaction(records, Self.workStatusStatements))
    }

    /// For `workStatus`, in one transaction.
    static let workStatusStatements: [Statement] = {
        let most = Parameter.int8(Int64(WorkStatus.most))
        let queries = [
            (Query.status, [most, .int4Array(RangeWalk.all), .int8(Int64(WorkStatus.mostDue))]),
            (.daemons, [most]), (.pauses, []),
            (.waitingFanOuts, [most]), (.bindingFaults, []),
        ]
        return queries.map { $0($1) }
    }()

    /// - Parameter rows: the results of `workStatusStatements`.
    static func workStatus(_ rows: [Rows]) throws(PostgresError) -> WorkStatus {
        guard rows.count == workStatusStatements.count else {
            throw PostgresError(.unexpectedResult, statement: Query.status.name)
        }
        let work = rows[0]
        return WorkStatus(
            now: Self.instant(try work.timestamp(0, 0)),
            dueUsers: Int(try work.int8(0, 1)),
            firstDue: try work.timestampOrNull(0, 2).map(Self.instant),
            touches: Int(try work.int8(0, 3)),
            openIntents: Int(try work.int8(0, 4)),
            openPushes: Int(try work.int8(0, 5)),
            unknownPushes: Int(try work.int8(0, 6)),
            freeRanges: Int(try work.int8(0, 7)),
            fanOuts: try WaitingFanOuts(rows[3]),
            pauses: try Self.pauses(rows[2]),
            daemons: try Self.daemons(rows[1]),
            bindingFaults: try BindingFault.all(rows[4])
        )
    }

    static func daemons(_ rows: Rows) throws(PostgresError) -> [DaemonRow] {
        var daemons: [DaemonRow] = []
        for row in 0..<rows.count {
            daemons.append(
                DaemonRow(
                    id: try rows.uuid(row, 0),
                    host: try rows.text(row, 1),
                    pid: try rows.int4(row, 2),
                    version: try rows.text(row, 3),
                    startedAt: instant(try rows.timestamp(row, 4)),
                    seenAt: instant(try rows.timestamp(row, 5)),
                    unseenMilliseconds: try rows.int8(row, 6),
                    state: try rows.text(row, 7),
                    ranges: try rows.int2Array(row, 8).compactMap(\.self),
                    aliveUntil: try rows.timestampOrNull(row, 9).map(instant)
                )
            )
        }
        return daemons
    }

    /// In whole seconds, rounded down.
    static func instant(_ microseconds: Int64) -> Instant {
        let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        return Instant(seconds: rest < 0 ? seconds - 1 : seconds)
    }
}
