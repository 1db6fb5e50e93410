package import Configuration
import Postgres
import Store

/// `nudged replan`: everyone is asked anew, since rules or zones have changed.
package struct ReplanRun: Sendable {
    private let access: DatabaseAccess
    private let flag = StopFlag()

    /// A tenth of what one daemon decides and settles: beside it the service goes on as ever.
    package static let usersASecond = 2_000
    static let pace = Duration.seconds(1) / usersASecond

    /// - Throws: what is wrong with `database.url`.
    package init(_ configuration: Configuration) throws {
        access = try DatabaseAccess(configuration)
    }

    /// Makes everyone due.
    ///
    /// - Parameters:
    ///   - over: how long it is to take; nil: `usersASecond`.
    ///   - onProgress: hears how far it is: users looked at, and all.
    /// - Throws: `PostgresError`, `SchemaError`.
    package func run(over: Duration?, onProgress: (Int, Int) -> Void) async throws -> ReplanReport {
        try await flag.onSignals {
            try await access.withStore { store in
                let walk = UserWalk(store: store, flag: flag, asked: nil)
                let total = try await walk.count()
                let pace = over.map { $0 / max(1, total) } ?? Self.pace
                return ReplanReport(result: try await walk.run(pace: pace) { onProgress($0.users, total) })
            }
        }
    }

    /// `90s`, `5m`, `2h`; nil for anything else.
    package static func duration(_ text: String) -> Duration? { DurationText.parse(text) }
}
