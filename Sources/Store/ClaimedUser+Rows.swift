import Policy
import Postgres
import TimeZones

extension ClaimedUser {
    /// Reads a row of `claim.sql`.
    init(_ rows: Rows, _ row: Int) throws(PostgresError) {
        self.init(
            userID: try rows.uuid(row, 0),
            version: try rows.int8(row, 1),
            dueAt: try rows.timestamp(row, 2),
            touchedAt: Instant(microseconds: try rows.timestampOrNull(row, 3)),
            since: Instant(microseconds: try rows.timestampOrNull(row, 4)),
            fingerprint: try rows.int8OrNull(row, 5),
            askedAt: Instant(microseconds: try rows.timestampOrNull(row, 6)),
            history: try Self.history(rows, row),
            retry: try rows.textOrNull(row, 11),
            quarantine: try rows.textOrNull(row, 19),
            preferences: try rows.textOrNull(row, 12),
            timezone: try rows.textOrNull(row, 13),
            firstSessionComplete: try rows.boolOrNull(row, 14) ?? false,
            devices: try Self.devices(rows, row)
        )
    }

    private static func history(_ rows: Rows, _ row: Int) throws(PostgresError) -> History {
        let instants = try rows.timestampArray(row, 7)
        let slots = try rows.dateArray(row, 8)
        var checkIns: [CheckIn] = []
        // Parallel by construction; where a hand has made them differ, what has no partner is left out.
        for (at, slot) in zip(instants, slots) {
            guard let at = Instant(microseconds: at), let slot = date(slot) else { continue }
            checkIns.append(CheckIn(at: at, slot: slot))
        }
        return History(
            checkIns: checkIns,
            closed: try rows.dateArray(row, 9).compactMap(date),
            sent: try rows.timestampArray(row, 10).compactMap(Instant.init(microseconds:))
        )
    }

    /// An infinite date, which only a hand can have written, has no day after it: the search for the next slot would never end.
    private static func date(_ days: Int32?) -> LocalDate? {
        guard let days, days != .max, days != .min else { return nil }
        return LocalDate(days: days)
    }

    private static func devices(_ rows: Rows, _ row: Int) throws(PostgresError) -> [Device] {
        guard try !rows.isNull(row, 15) else { return [] }
        let tokens = try rows.textArray(row, 15)
        let registered = try rows.timestampArray(row, 16)
        let environments = try rows.textArray(row, 17)
        let topics = try rows.textArray(row, 18)
        var devices: [Device] = []
        for index in tokens.indices {
            guard let token = tokens[index] else { continue }
            devices.append(
                Device(
                    token: token,
                    registration: index < registered.count ? registered[index] : nil,
                    environment: index < environments.count ? environments[index] : nil,
                    topic: index < topics.count ? topics[index] : nil
                )
            )
        }
        return devices
    }
}

extension Instant {
    /// From PostgreSQL's microseconds, rounded down; nil from nil and from the infinities, which no calendar can say.
    init?(microseconds: Int64?) {
        guard let microseconds, microseconds != .max, microseconds != .min else { return nil }
        let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        self.init(seconds: rest < 0 ? seconds - 1 : seconds)
    }

    /// The last microsecond of this second. The policy's `now` is rounded down; who is due within its second is due.
    var endOfSecond: Int64 {
        let (value, overflow) = microseconds.addingReportingOverflow(999_999)
        return overflow ? .max : value
    }

    /// For PostgreSQL; beyond its range, its end.
    var microseconds: Int64 {
        let (value, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        return overflow ? (seconds < 0 ? .min : .max) : value
    }
}
