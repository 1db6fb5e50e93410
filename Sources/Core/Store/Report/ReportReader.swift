package import Policy
package import Postgres
package import TimeZones

/// Counts the record for `nudged report`. Each count is one pass over the partitions of the given days, aggregated in
/// the database. Its result holds no user, device or text, and doesn't grow with the record.
extension SnapshotReader {
    /// The most combinations of stretch, kind, outcome and reason that are returned. A record has a few thousand.
    package static let mostCounts = 50_000

    /// Days after which rows of the record are dropped (`nudged.setting.retention_days`).
    package func retentionDays() async throws(PostgresError) -> Int { Int(try await run(.retention, []).int4(0, 0)) }

    /// The record by stretches of so many seconds. If `mostCounts` come, the rarest may be missing.
    package func deliveries(in span: Range<Instant>, stretch: Int64) async throws(PostgresError) -> [DeliveryCount] {
        let rows = try await run(.reportDeliveries, bounds(span) + [.int8(stretch), .int8(Int64(Self.mostCounts))])
        let counts = try rows.decoded {
            (stretch: Int64, kind: String, outcome: String, reason: String, isGone: Bool, count: Int) in
            DeliveryRecord.Outcome(rawValue: outcome).map {
                DeliveryCount(stretch: stretch, kind: kind, outcome: $0, reason: reason, isGone: isGone, count: count)
            }
        }
        return counts.compactMap(\.self)
    }

    /// Accepted pushes by the users' clocks, and the users who got them. The rules are for users who chose nothing.
    package func hours(
        in span: Range<Instant>,
        rules: Rules
    ) async throws(PostgresError) -> (hours: [HourCount], people: PeopleReached) {
        let times = [rules.quietHours?.start, rules.quietHours?.end, rules.spreadMinutes > 0 ? nil : rules.checkInTime]
        let moments = times.map { $0.map { Parameter.int4(Int32($0.minutes)) } ?? .null(.int4) }
        let rows = try await run(.reportHours, bounds(span) + moments)
        var counts: [HourCount] = []
        var people = PeopleReached()
        for row in 0..<rows.count {
            guard try !rows.bool(row, 6) else {
                let (kind, count) = (try rows.text(row, 1), Int(try rows.int8(row, 5)))
                if kind.isEmpty { people.all = count } else { people.byKind[kind] = count }
                continue
            }
            counts.append(try rows.decoded(at: row, HourCount.init))
        }
        return (counts, people)
    }

    /// What users did with nudges: of each kind, and by template, local hour and weekday.
    package func opens(in span: Range<Instant>) async throws(PostgresError) -> [OpenCount] {
        try await run(.reportOpens, bounds(span)).decoded(OpenCount.init)
    }

    /// Users with check-ins and users of the holdout, and how many of them the app saw after `since`.
    package func holdout(
        in span: Range<Instant>,
        since: Instant
    ) async throws(PostgresError) -> (with: SeenCount, without: SeenCount) {
        let rows = try await run(.reportHoldout, bounds(span) + [.timestamp(since.microseconds)])
        var (with, without) = (SeenCount(users: 0, seen: 0), SeenCount(users: 0, seen: 0))
        for row in 0..<rows.count {
            let count = SeenCount(users: Int(try rows.int8(row, 1)), seen: Int(try rows.int8(row, 2)))
            if try rows.bool(row, 0) { without = count } else { with = count }
        }
        return (with, without)
    }

    /// Sweeps that recorded something: all of them by size, and singly the `most` largest with `least` rows or more.
    package func sweeps(in span: Range<Instant>, least: Int, most: Int) async throws(PostgresError) -> [SweepCount] {
        let limits: [Parameter] = [.int8(Int64(least)), .int8(Int64(most))]
        return try await run(.reportSweeps, bounds(span) + limits).decoded(SweepCount.init)
    }

    private func bounds(_ span: Range<Instant>) -> [Parameter] {
        [.timestamp(span.lowerBound.microseconds), .timestamp(span.upperBound.microseconds)]
    }
}

extension Store {
    /// Passes a reader of one snapshot to the work. Its statements may run for a day, in one process of the server and
    /// a bounded memory. Meanwhile the server can't clean up dead rows, and old partitions are dropped later.
    package func reporting<T: Sendable>(_ work: @Sendable (SnapshotReader) async throws -> T) async throws -> T {
        let connection = try await claims.connection()
        let gentle = [("max_parallel_workers_per_gather", "0"), ("work_mem", "64MB"), ("jit", "off")]
        return try await connection.transaction(isSnapshot: true, settings: gentle, timeout: .seconds(86_400)) {
            try await work(SnapshotReader(transaction: $0))
        }
    }
}

// MARK: What is counted

/// How many rows of the record are alike, in one stretch of time.
package struct DeliveryCount: Sendable, Equatable {
    /// The number of the stretch: it begins that many stretches after 1970.
    package var stretch: Int64
    /// `check_in`, `message`, `reminder`, or `other`.
    package var kind: String
    package var outcome: DeliveryRecord.Outcome
    /// Apple's reason, or nudged's; empty: none; `other`: one that is not shown.
    package var reason: String = ""
    /// Apple answered 410: the token was deleted, unless the device had registered again.
    package var isGone: Bool = false
    package var count: Int
}

/// How many accepted pushes are alike, by their users' clocks.
package struct HourCount: Sendable, Equatable {
    /// How long after its time a check-in was sent.
    package enum Lateness: Int32, Sendable, CaseIterable, ColumnValue {
        case early = -1
        case withinOneMinute, withinFiveMinutes, withinAQuarter, withinAnHour, withinFourHours, later
    }

    /// The local hour, 0 to 23; nil: the user had no valid zone.
    package var hour: Int?
    /// `check_in`, `message`, `reminder`, or `other`.
    package var kind: String
    /// The user has quiet hours of their own; else the rules' quiet hours apply.
    package var hasOwnQuietHours: Bool = false
    /// They were sent within the quiet hours.
    package var isQuiet: Bool = false
    /// nil: no check-in, or its time is unknown.
    package var lateness: Lateness?
    package var count: Int
}

/// Users with at least one accepted push.
package struct PeopleReached: Sendable, Equatable {
    /// By any kind of nudge. A user counts once.
    package var all: Int = 0
    /// By `check_in`, `message`, `reminder`, or `other`, if it reached anybody. A user counts in each of their kinds.
    package var byKind: [String: Int] = [:]
}

/// Sweeps of a similar size, or a single sweep.
package struct SweepCount: Sendable, Equatable {
    package enum Size: Int32, Sendable, CaseIterable, ColumnValue {
        case fewerThan5, fewerThan50, fewerThan500, fewerThan5000, more
    }

    /// The first attempt of a single sweep; nil: all sweeps of this size.
    package var began: Instant?
    package var size: Size
    package var sweeps: Int
    package var records: Int
    /// From the first attempt to the last; of several sweeps the longest.
    package var seconds: Int64
    /// Rows of a single sweep that say `accepted`. This and the three below are 0 for several sweeps.
    package var accepted: Int = 0
    /// `rejected` or `deferred`.
    package var refused: Int = 0
    package var unknown: Int = 0
    /// `dropped` or `skipped`.
    package var unsent: Int = 0
}

/// Nudges that are alike, and what users did with them.
package struct OpenCount: Sendable, Equatable {
    package enum Part: String, Sendable, CaseIterable, ColumnValue { case template, hour, weekday }

    /// `check_in`, `message` or `reminder`.
    package var kind: String
    /// nil: all nudges of the kind.
    package var part: Part?
    /// The template's id, the user's local hour (0 to 23) or local day (1, Monday, to 7).
    package var value = 0
    package var sent: Int
    /// Who got them.
    package var users: Int
    package var opened: Int
    /// How many have feedback.
    package var rated: Int = 0
    /// Who gave it.
    package var raters: Int = 0
    package var helpful: Int = 0
}

/// Users whose check-ins were due, and how many of them the app saw lately.
package struct SeenCount: Sendable, Equatable {
    package var users: Int
    package var seen: Int
}
