package import Configuration
import Postgres
package import Policy
import Store
import TimeZones

/// `nudged resume`: kinds are sent again, and everyone who was held meanwhile is due.
package struct ResumeRun: Sendable {
    private let access: DatabaseAccess
    private let flag = StopFlag()

    /// Daemons look each second: by then none of them holds anybody any more, but for one that hangs, whose users come within a day.
    private static let settling = Duration.milliseconds(2_500)
    /// By the policy's clock: what the daemons held before and after the instants of pause and resume.
    private static let slack: Int64 = 10

    /// - Throws: what is wrong with `database.url`.
    package init(_ configuration: Configuration) throws {
        access = try DatabaseAccess(configuration)
    }

    /// Lets a kind, or all, be sent again. Whoever was asked since the pause is made due at `ReplanRun.usersASecond`; a run that was cut off is run again.
    ///
    /// - Parameter onProgress: hears how far it is: users looked at, and all.
    /// - Throws: `PostgresError`, `SchemaError`.
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
                    asked: min(since, until) - Self.slack...until + Self.slack
                )
                let total = try await walk.count()
                let result = try await walk.run(pace: ReplanRun.pace) { onProgress($0.users, total) }
                if !result.isInterrupted { try await store.endResume(resumed.map(\.kind)) }
                return ResumeReport(resumed: resumed, result: result)
            }
        }
    }
}
