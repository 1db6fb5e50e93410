package import Configuration
import Postgres
package import Policy
import Core
import TimeZones

/// `nudged resume`: ends a pause and makes the users due who were held meanwhile.
package struct ResumeRun: Sendable {
    private let access: DatabaseAccess
    private let flag = StopFlag()

    /// Daemons read the pauses each second, so after this time none applies the pause any more. If a daemon hangs, its
    /// users are picked up within a day.
    private static let settling = Duration.milliseconds(2_500)
    /// Seconds. Daemons may have applied the pause this long before or after its recorded instants.
    private static let slack: Int64 = 10

    /// - Throws: what is wrong with `database.url`.
    package init(_ configuration: Configuration) throws {
        access = try DatabaseAccess(configuration)
    }

    /// Ends the pause of a kind; nil: of all kinds. Users who were evaluated since the pause become due,
    /// `ReplanRun.usersASecond` each second. After an interruption, run it again.
    ///
    /// - Parameter onProgress: called with the number of users passed over, and of all users.
    /// - Throws: `PostgresError` or `SchemaError`.
    package func run(_ kind: NudgeKind?, onProgress: (Int, Int) -> Void) async throws -> ResumeReport {
        let kinds = kind.map { [$0] } ?? NudgeKind.allCases
        return try await flag.onSignals {
            try await access.withStore { store in
                let resumed = try await store.resume(kinds)
                guard let since = resumed.map(\.heldSince).min(), let until = resumed.compactMap(\.resumedAt).max()
                else { return ResumeReport(resumed: [], result: UserWalk.Result()) }
                try? await Task.sleep(for: Self.settling)
                let walk = UserWalk(
                    store: store,
                    flag: flag,
                    evaluated: min(since, until) - Self.slack...until + Self.slack
                )
                let total = try await walk.count()
                let result = try await walk.run(pace: ReplanRun.pace) { onProgress($0.users, total) }
                if !result.isInterrupted { try await store.endResume(resumed.map(\.kind)) }
                return ResumeReport(resumed: resumed, result: result)
            }
        }
    }
}
