package import Configuration
import Postgres
import Core

/// `nudged replan`: makes every user due, because rules or time zones have changed, or the app's rows were there before
/// nudged.
package struct ReplanRun: Sendable {
    private let access: DatabaseAccess
    private let flag = StopFlag()

    /// Well below what one daemon evaluates and settles in a second (docs/PERFORMANCE.md), so that the service keeps
    /// up.
    package static let usersASecond = 2_000
    static let pace = Duration.seconds(1) / usersASecond

    /// - Throws: what is wrong with `database.url`.
    package init(_ configuration: Configuration) throws {
        access = try DatabaseAccess(configuration)
    }

    /// Makes every user due, and adds users who are in the app's views and not in nudged.person.
    ///
    /// - Parameters:
    ///   - over: how long it should take. Nil: `usersASecond`.
    ///   - onProgress: called with the number of users passed over, and of all users.
    /// - Throws: `PostgresError` or `SchemaError`.
    package func run(over: Duration?, onProgress: (Int, Int) -> Void) async throws -> ReplanReport {
        try await flag.onSignals {
            try await access.withStore { store in
                let walk = UserWalk(store: store, flag: flag, evaluated: nil)
                let total = try await walk.count()
                let pace = over.map { $0 / max(1, total) } ?? Self.pace
                let adopted = try await walk.adopt(pace: pace)
                let result = try await walk.run(pace: pace) { onProgress($0.users, total) }
                return ReplanReport(result: result, adopted: adopted)
            }
        }
    }

    /// Reads `90s`, `5m`, `2h` or a number of seconds. Nil for any other text.
    package static func duration(_ text: String) -> Duration? { DurationText.parse(text) }
}
