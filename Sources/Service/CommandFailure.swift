import Configuration
package import Core
import Postgres
package import Systemd

/// An error that ends a command with a status of its own: what happened, to what, and what to do.
package struct CommandFailure: Error, Equatable, CustomStringConvertible {
    package let description: String
    package let exitStatus: ExitStatus

    package init(_ description: String, _ exitStatus: ExitStatus) {
        (self.description, self.exitStatus) = (description, exitStatus)
    }

    package static func status(of error: any Error) -> ExitStatus {
        switch error {
        case let error as CommandFailure: return error.exitStatus
        case let error as PostgresError:
            if [.invalidURL, .insecure].contains(error.code) { return .configuration }
            guard let state = error.sqlState else { return .unavailable }
            // 28: invalid authorization. 42501: insufficient privilege. 3D: no such database. 42P01: a table is
            // missing. 3F000: a schema is missing. 0A000: the database's encoding can't be converted to UTF-8.
            if state.hasPrefix("28") || state == "42501" { return .permission }
            if state.hasPrefix("3D") || ["42P01", "3F000", "0A000"].contains(state) { return .configuration }
            // The database answered, so it can be reached.
            return error.isTransient ? .temporary : .software
        case let error as ConfigurationError: return error.exitStatus
        case is ConfigurationFault: return .configuration
        default: return .unavailable
        }
    }
}

extension Migrator.SchemaState {
    package var failure: CommandFailure { CommandFailure(text, self == .hidden ? .permission : .configuration) }

    package var text: String {
        switch self {
        case .current: "the schema is current"
        case .behind(let pending, false):
            pending.count == Migration.all.count
                ? "the database has no schema nudged yet: run nudged migrate"
                : "\(Elapsed.counted(pending.count, "migration is", "migrations are")) pending: run nudged migrate"
        case .behind(let pending, true):
            "\(Elapsed.counted(pending.count, "migration is", "migrations are")) pending, and this version can work without"
                + ": run nudged migrate when convenient"
        case .newer(let newest):
            "a newer nudged has migrated the database (migration \(newest)), and this version can work with it: "
                + "upgrade nudged here when convenient"
        case .ahead(let newest):
            "a newer nudged has migrated the database (migration \(newest)): install that version here"
        case .hidden:
            "row-level security hides tables of nudged or of the app from this role: connect as nudged_daemon, "
                + "and run nudged migrate as the role that owns the app's tables (docs/TABLES.md)"
        case .misbound(let faults): "\(faults[0].text): \(faults[0].remedy)"
        case .changed(let number):
            "migration \(number) was applied with another text than this version's: "
                + "install the version that applied it"
        }
    }
}

/// Spans and counts as text.
package enum Elapsed {
    /// `4 s`, `3 min`, `2 h`, `5 days`: rounded down to the largest unit with a count of at least two.
    package static func text(_ seconds: Int64) -> String {
        let seconds = max(0, seconds)
        if seconds < 120 { return "\(seconds) s" }
        if seconds < 7200 { return "\(seconds / 60) min" }
        if seconds < 172_800 { return "\(seconds / 3600) h" }
        return "\(grouped(Int(seconds / 86_400))) days"
    }

    /// `12,345`.
    package static func grouped(_ number: Int) -> String {
        guard number.magnitude >= 1000 else { return "\(number)" }
        let rest = String(number.magnitude % 1000)
        return "\(grouped(number / 1000))," + String(repeating: "0", count: 3 - rest.count) + rest
    }

    /// `1 push`, `12,345 pushes`.
    package static func counted(_ number: Int, _ one: String, _ many: String) -> String {
        number == 1 ? "1 \(one)" : "\(grouped(number)) \(many)"
    }

    /// A number that was counted only up to `most`.
    package static func capped(_ number: Int, _ most: Int) -> String {
        number >= most ? "\(grouped(most)) or more" : grouped(number)
    }
}
