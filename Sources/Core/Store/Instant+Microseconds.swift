public import Postgres
public import TimeZones

/// PostgreSQL counts microseconds, the policy counts seconds.
extension Instant {
    /// From PostgreSQL's microseconds.
    init(roundingDown microseconds: Int64) {
        self.init(seconds: microseconds / 1_000_000 - (microseconds % 1_000_000 < 0 ? 1 : 0))
    }

    /// The same. nil for nil and for the infinities, which no calendar holds.
    init?(microseconds: Int64?) {
        guard let microseconds, microseconds != .max, microseconds != .min else { return nil }
        self.init(roundingDown: microseconds)
    }

    /// The same, limited to 1970 to 9999: only people write other values, which are overdue or never due. nil for nil.
    init?(nearest microseconds: Int64?) {
        guard let microseconds else { return nil }
        self = min(max(Instant(roundingDown: microseconds), Instant(seconds: 0)), .last)
    }

    /// The last microsecond of this second. The policy's `now` is rounded down: users of its whole second are due.
    var endOfSecond: Int64 {
        let (value, overflow) = microseconds.addingReportingOverflow(999_999)
        return overflow ? .max : value
    }

    /// For PostgreSQL. Outside its range: its infinities.
    var microseconds: Int64 {
        let (value, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        return overflow ? (seconds < 0 ? .min : .max) : value
    }
}

/// In whole seconds, rounded down.
extension Instant: ColumnValue {
    public static var read: ColumnReader<Instant> {
        { rows in { row, column throws(PostgresError) in Instant(roundingDown: try rows.timestamp(row, column)) } }
    }
}
