package import Policy
package import Postgres
package import TimeZones

/// Counts the record for `nudged report`.
///
/// Each count is one pass over the partitions of the given days, aggregated in the database. Its result holds no user,
/// device or text, and doesn't grow with the record.
extension SnapshotReader {
    /// The most combinations of stretch, kind, outcome and reason that are returned. A record has a few thousand.
    package static let mostCounts = 50_000

    /// Days after which rows of the record are dropped (`nudged.setting.retention_days`).
    package func retentionDays() async throws(PostgresError) -> Int { Int(try await run(.retention, []).int4(0, 0)) }

    /// The record by stretches of time. If `mostCounts` come, the rarest may be missing.
    ///
    /// - Parameter stretch: its length in seconds.
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

    /// Accepted pushes by the users' clocks, and the users who got them.
    ///
    /// - Parameter rules: for users who chose nothing.
    package func hours(
        in span: Range<Instant>,
        rules: Rules
    ) async throws(PostgresError) -> (hours: [HourCount], people: PeopleReached) {
        let minutes = [
            rules.quietHours?.start, rules.quietHours?.end, rules.spreadMinutes > 0 ? nil : rules.checkInTime,
        ]
        let rows = try await run(
            .reportHours,
            bounds(span) + minutes.map { $0.map { .int4(Int32($0.minutes)) } ?? .null(.int4) }
        )
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

    /// Users with check-ins and users of the holdout.
    ///
    /// - Parameter since: the app saw a user if it was after this.
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

    /// Sweeps that recorded something: all of them by size, and the largest ones singly.
    ///
    /// - Parameters:
    ///   - least: rows of a sweep that is listed singly.
    ///   - most: how many are listed singly.
    package func sweeps(in span: Range<Instant>, least: Int, most: Int) async throws(PostgresError) -> [SweepCount] {
        let limits: [Parameter] = [.int8(Int64(least)), .int8(Int64(most))]
        return try await run(.reportSweeps, bounds(span) + limits).decoded(SweepCount.init)
    }

    private func bounds(_ span: Range<Instant>) -> [Parameter] {
        [.timestamp(span.lowerBound.microseconds), .timestamp(span.upperBound.microseconds)]
    }
}

extension Store {
    /// Passes a reader of one snapshot to the work. Its statements may run for a day.
    ///
    /// It uses one process of the server (no parallel workers) and a bounded memory for sorting and hashing. Meanwhile
    /// the server can't clean up dead rows, and old partitions of the record are dropped later.
    package func reporting<T: Sendable>(_ work: @Sendable (SnapshotReader) async throws -> T) async throws -> T {
        let connection = try await claims.connection()
        return try await connection.snapshot(settings: Self.gentlePlans, timeout: .seconds(86_400)) { transaction in
            try await work(SnapshotReader(transaction))
        }
    }

    private static let gentlePlans = [
        ("max_parallel_workers_per_gather", "0"), ("work_mem", "64MB"), ("jit", "off"),
    ]
}
