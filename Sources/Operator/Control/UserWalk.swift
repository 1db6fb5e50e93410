import Postgres
import Core
import TimeZones

import struct FoundationEssentials.UUID

/// Makes users due, page by page in the order of `user_id`, at a given pace. A bounded pace leaves the database time
/// for other work, and daemons evaluate the users at the same pace.
///
/// Each page is a transaction of its own. After an interruption, run it again.
struct UserWalk {
    /// Users of one transaction: about ten milliseconds of row locks.
    static let page = 1_000
    private static let countedAtOnce = 20_000
    private static let attempts = 6
    /// How often the flag is read while waiting.
    private static let nap = Duration.milliseconds(50)

    let store: Store
    let flag: StopFlag
    /// Only users who were evaluated between these instants. Nil: all users.
    let evaluated: ClosedRange<Instant>?

    struct Result: Sendable, Equatable {
        /// Users who were made due and were not due before.
        var woken = 0
        /// Users who were passed over, whether made due or not.
        var users = 0
        /// Whether a signal ended the walk.
        var isInterrupted = false
    }

    /// Counts all users, in bounded steps. A signal ends it early.
    func count() async throws(PostgresError) -> Int {
        var total = 0
        var next: UUID? = Store.firstUser
        while let user = next, !flag.isRaised {
            let page = try await again { () async throws(PostgresError) in
                try await store.countUsers(from: user, limit: Self.countedAtOnce)
            }
            total += page.users
            next = page.next
        }
        return total
    }

    /// Hands users who are in the app's views and not in nudged.person to the daemons. Returns how many.
    ///
    /// - Parameter pace: the time for each of them. It delays the next page.
    func adopt(pace: Duration) async throws(PostgresError) -> Int {
        var total = 0
        var next: UUID? = Store.firstUser
        let begun = ContinuousClock.now
        while let user = next, !flag.isRaised {
            let page = try await again { () async throws(PostgresError) in
                try await store.adoptUsers(from: user, limit: Self.page)
            }
            total += page.users
            next = page.next
            await rest(until: begun + pace * total)
        }
        return total
    }

    /// - Parameters:
    ///   - pace: the time for each user who is made due. It delays the next page.
    ///   - onPage: called after each page with the result so far.
    func run(pace: Duration, onPage: (Result) -> Void) async throws(PostgresError) -> Result {
        var result = Result()
        var next: UUID? = Store.firstUser
        let begun = ContinuousClock.now
        while let user = next {
            // The database's clock, read for each page: with one instant for all pages, later users would look overdue.
            let now = Instant(
                seconds: try await again { () async throws(PostgresError) in try await store.clock() } / 1_000_000
            )
            let page = try await again { () async throws(PostgresError) in
                try await store.wakeUsers(from: user, now: now, evaluated: evaluated, limit: Self.page)
            }
            result.woken += page.woken
            result.users += page.users
            next = page.next
            onPage(result)
            // Users who are not affected cost no waiting time.
            let paced = evaluated == nil ? result.users : result.woken
            if next != nil { await rest(until: begun + pace * paced) }
            if flag.isRaised {
                result.isInterrupted = next != nil
                break
            }
        }
        return result
    }

    private func rest(until end: ContinuousClock.Instant) async {
        while !flag.isRaised, ContinuousClock.now < end {
            try? await Task.sleep(for: min(Self.nap, end - ContinuousClock.now))
        }
    }

    /// Repeats a step after a transient error (a deadlock, a broken connection). Each step may run twice.
    private func again<T>(_ step: () async throws(PostgresError) -> T) async throws(PostgresError) -> T {
        var attempt = 1
        while true {
            do throws(PostgresError) {
                return try await step()
            } catch {
                guard error.isTransient, attempt < Self.attempts, !flag.isRaised else { throw error }
                try? await Task.sleep(for: .milliseconds(50 << attempt))
                attempt += 1
            }
        }
    }
}
