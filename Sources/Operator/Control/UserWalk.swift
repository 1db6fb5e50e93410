import Postgres
import Store
import TimeZones

import struct FoundationEssentials.UUID

/// Makes users due, page by page in the order of `user_id`, no faster than told: a living service's database has other work, and those who are due are
/// asked at the same pace. Each page is a transaction of its own; an interrupted walk is simply walked again.
struct UserWalk {
    /// Users of a transaction: some ten milliseconds of row locks.
    static let page = 1_000
    private static let countedAtOnce = 20_000
    private static let attempts = 6
    /// How soon a signal is heard.
    private static let nap = Duration.milliseconds(50)

    let store: Store
    let flag: StopFlag
    /// Users asked from and up to these instants; nil: everyone.
    let asked: ClosedRange<Instant>?

    /// What it came to.
    struct Result: Sendable, Equatable {
        /// Users who are due now and were not.
        var woken = 0
        /// Users looked at.
        var users = 0
        /// Whether a signal ended it.
        var isInterrupted = false
    }

    /// Counts everyone, in bounded steps. Fewer where a signal came.
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

    /// - Parameters:
    ///   - pace: how long a user who is made due may take of the clock; the pages are spread by it.
    ///   - onPage: hears how far it is.
    func run(pace: Duration, onPage: (Result) -> Void) async throws(PostgresError) -> Result {
        var result = Result()
        var next: UUID? = Store.firstUser
        let begun = ContinuousClock.now
        while let user = next {
            // The database's clock, anew for each page: nobody is due before their turn.
            let now = Instant(
                seconds: try await again { () async throws(PostgresError) in try await store.clock() } / 1_000_000
            )
            let page = try await again { () async throws(PostgresError) in
                try await store.wakeUsers(from: user, now: now, asked: asked, limit: Self.page)
            }
            result.woken += page.woken
            result.users += page.users
            next = page.next
            onPage(result)
            // Those of nobody's interest cost a look and no wait.
            let paced = asked == nil ? result.users : result.woken
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

    /// What was only disturbed (a deadlock, a connection that broke) is tried again: each step may be done twice.
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
