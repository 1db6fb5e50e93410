package import Configuration
import Core
import JSON
import Service
package import Systemd
import TimeZones

import struct FoundationEssentials.UUID

/// The result of `nudged replan`: every user is due, because rules or time zones have changed, or the app's rows were
/// there before nudged.
package struct ReplanReport: CommandOutput {
    let result: UserWalk.Result
    let adopted: Int

    /// Well below what one daemon evaluates and settles in a second (docs/PERFORMANCE.md), so that the service keeps
    /// up.
    package static let usersASecond = 2_000
    static let pace = Duration.seconds(1) / usersASecond

    /// Makes every user due, and adds users who are in the app's views and not in nudged.person.
    ///
    /// - Parameters:
    ///   - over: how long it should take. Nil: `usersASecond`.
    ///   - onProgress: called with the number of users passed over, and of all users.
    package static func replan(
        over: Duration?,
        _ configuration: Configuration,
        onProgress: (Int, Int) -> Void
    ) async throws -> ReplanReport {
        let flag = StopFlag()
        return try await flag.onSignals {
            try await DatabaseAccess(configuration).withStore { store in
                let walk = UserWalk(store: store, flag: flag, evaluated: nil)
                let total = try await walk.count()
                let pace = over.map { $0 / max(1, total) } ?? pace
                let adopted = try await walk.adopt(pace: pace)
                let result = try await walk.run(pace: pace) { onProgress($0.users, total) }
                return ReplanReport(result: result, adopted: adopted)
            }
        }
    }

    package var status: ExitStatus { result.isInterrupted ? .interrupted : .success }

    package func text(on screen: Screen) -> String {
        guard adopted > 0 else { return summary }
        let one = "user that nudged had not seen was added"
        let many = "users that nudged had not seen were added"
        return "\(summary)\n\(Elapsed.counted(adopted, one, many))"
    }

    private var summary: String {
        let users = Elapsed.counted(result.users, "user", "users")
        let due = "\(Elapsed.grouped(result.woken)) of \(users) \(result.woken == 1 ? "was" : "were") made due"
        if result.isInterrupted { return "interrupted: \(due); run nudged replan again for the others" }
        return result.woken == result.users ? due : "\(due), the others were due already"
    }

    package var json: String {
        Fields.text([
            "users": result.users, "made_due": result.woken, "new": adopted, "interrupted": result.isInterrupted,
        ])
    }
}

/// Makes users due, page by page in the order of `user_id`, at a given pace. A bounded pace leaves the database time
/// for other work, and daemons evaluate the users at the same pace.
///
/// Each page is a transaction of its own. After an interruption, run it again.
struct UserWalk {
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
        var isInterrupted = false
    }

    private var steps: Steps { Steps(flag: flag) }

    /// Counts all users, in bounded steps. A signal ends it early.
    func count() async throws -> Int {
        try await steps.count { try await store.countUsers(from: $0, limit: Steps.countedAtOnce) }
    }

    /// Hands users who are in the app's views and not in nudged.person to the daemons. Returns how many.
    ///
    /// - Parameter pace: the time for each of them. It delays the next page.
    func adopt(pace: Duration) async throws -> Int {
        var total = 0
        let begun = ContinuousClock.now
        try await steps.pages { user in
            await rest(until: begun + pace * total)
            let page = try await store.adoptUsers(from: user, limit: Steps.page)
            total += page.users
            return page.next
        }
        await rest(until: begun + pace * total)
        return total
    }

    /// - Parameters:
    ///   - pace: the time for each user who is made due. It delays the next page.
    ///   - onPage: called after each page with the result so far.
    func run(pace: Duration, onPage: (Result) -> Void) async throws -> Result {
        var result = Result()
        let begun = ContinuousClock.now
        let isComplete = try await steps.pages { user in
            // The database's clock, read for each page: with one instant for all pages, later users would look overdue.
            let now = Instant(seconds: try await store.clock() / 1_000_000)
            let page = try await store.wakeUsers(from: user, now: now, evaluated: evaluated, limit: Steps.page)
            result.woken += page.woken
            result.users += page.users
            onPage(result)
            // Users who are not affected cost no waiting time.
            let paced = evaluated == nil ? result.users : result.woken
            if page.next != nil { await rest(until: begun + pace * paced) }
            return page.next
        }
        result.isInterrupted = !isComplete
        return result
    }

    private func rest(until end: ContinuousClock.Instant) async {
        while !flag.isRaised, ContinuousClock.now < end {
            try? await Task.sleep(for: min(Self.nap, end - ContinuousClock.now))
        }
    }
}
