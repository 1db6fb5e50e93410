package import Configuration
import Core
import Service
import Policy
import Postgres
import TimeZones

import struct FoundationEssentials.UUID

/// `nudged forecast`: runs the policy forward for every user who will be due, on one snapshot of the database. It
/// writes nothing.
package struct ForecastRun: Sendable {
    /// How many hours can be forecast. Changes that nobody can know decide what comes later.
    package static let hours = 1...168

    private let access: DatabaseAccess
    private let planner: Planner

    /// Users of a page, and pages that are evaluated beside the one that is read. Together they bound the memory.
    private static let page = 2_000
    private static let pagesAtOnce = 3

    /// - Throws: what is wrong with the configuration.
    package init(_ configuration: Configuration) throws {
        access = try DatabaseAccess(configuration)
        planner = try Assembly(configuration, zones: ZoneDatabase()).planner
    }

    /// Makes the forecast.
    ///
    /// - Parameter onProgress: called with the number of ranges that were read, and of all ranges.
    /// - Throws: `PostgresError` or `SchemaError`.
    package func run(hours: Int, onProgress: @escaping @Sendable (Int, Int) -> Void) async throws -> Forecast {
        try await access.withStore { store in
            try await Self.forecast(hours: hours, planner: planner, store: store, onProgress: onProgress)
        }
    }

    /// - Parameter now: for tests. Nil: the database's clock.
    static func forecast(
        hours: Int,
        planner: Planner,
        store: Store,
        now: Instant? = nil,
        onProgress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws -> Forecast {
        try await store.reading { reader in
            let clock = Instant(seconds: try await reader.clock() / 1_000_000)
            let start = now ?? clock
            var planner = planner
            planner.paused = try await reader.paused()
            // The forecast needs the number of check-ins, not their texts.
            planner.checkInTexts = CheckInTexts()
            let future = FutureUser(planner: planner, start: start, end: start + Int64(hours) * 3600)
            let fanOuts = try await FutureFanOuts(reader, planner: planner, start: start, end: future.end)
            let tally = try await walk(reader, future, fanOuts, onProgress: onProgress)
            return Forecast(
                hours: hours,
                tally: tally,
                paused: planner.paused,
                asksService: planner.asksService,
                gaps: fanOuts.gaps
            )
        }
    }

    /// Reads users range by range along the claim's index. The database reads a page while earlier pages are evaluated.
    private static func walk(
        _ reader: SnapshotReader,
        _ future: FutureUser,
        _ fanOuts: FutureFanOuts,
        onProgress: @Sendable (Int, Int) -> Void
    ) async throws -> ForecastTally {
        try await withThrowingTaskGroup(of: ForecastTally.self) { group in
            let empty = ForecastTally(start: future.start, end: future.end)
            var total = empty
            var open = 0
            var fanOuts = fanOuts
            func plan(_ claimed: [ClaimedUser]) async throws {
                let users = fanOuts.take(for: claimed)
                if open >= pagesAtOnce, let tally = try await group.next() {
                    total.add(tally)
                    open -= 1
                }
                group.addTask {
                    var tally = empty
                    for user in users { future.run(user, into: &tally) }
                    return tally
                }
                open += 1
            }
            var waiting: UUID? = Store.firstUser
            while let user = waiting {
                let page = try await reader.waiting(
                    after: user,
                    until: future.end - 1,
                    now: future.start,
                    limit: Self.page
                )
                waiting = page.next
                total.unreadable += page.unreadable
                try await plan(page.users)
            }
            for (done, range) in SnapshotReader.ranges.enumerated() {
                var next: Cursor? = .start
                while let cursor = next {
                    try Task.checkCancellation()
                    let page = try await reader.due(
                        in: range,
                        after: cursor,
                        until: future.end - 1,
                        now: future.start,
                        limit: Self.page
                    )
                    next = page.next
                    total.unreadable += page.unreadable
                    try await plan(page.users)
                }
                onProgress(done + 1, SnapshotReader.ranges.count)
            }
            // Users who are due only because of a fan-out.
            var told = Array(fanOuts.reminders.keys)[...]
            while !told.isEmpty {
                let page = try await reader.users(
                    Array(told.prefix(Self.page)),
                    until: future.end - 1,
                    now: future.start
                )
                told = told.dropFirst(Self.page)
                total.unreadable += page.unreadable
                try await plan(page.users)
            }
            for try await tally in group { total.add(tally) }
            return total
        }
    }
}
