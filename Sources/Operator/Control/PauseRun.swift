package import Configuration
package import Policy
import Core

/// `nudged pause`: a row in the database that every daemon reads.
package struct PauseRun: Sendable {
    private let access: DatabaseAccess
    private let byWhom: String

    /// - Parameter environment: the process's variables; they say who pauses.
    /// - Throws: what is wrong with `database.url`.
    package init(_ configuration: Configuration, environment: [String: String]) throws {
        access = try DatabaseAccess(configuration)
        byWhom = HostUser.name(environment: environment)
    }

    /// Pauses a kind; nil: all kinds. A kind that is paused already stays as it is.
    ///
    /// - Throws: `PostgresError` or `SchemaError`.
    package func run(_ kind: NudgeKind?, reason: String?) async throws -> PauseReport {
        let kinds = kind.map { [$0] } ?? NudgeKind.allCases
        return try await access.withStore { store in
            let new = try await store.pause(kinds, byWhom: byWhom, reason: reason)
            let pauses = try await store.pauses()
            return PauseReport(pauses: pauses.filter { kinds.contains($0.kind) }, new: new)
        }
    }
}
