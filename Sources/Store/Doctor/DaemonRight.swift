/// A right that the daemon's role needs on one of nudged's objects.
package struct DaemonRight: Sendable, Hashable {
    /// In schema `nudged`; a call without its arguments.
    package let object: String
    /// `select`, `insert`, `update`, `delete`, each but the last of one column as in `update (id)`, or `execute` for a call.
    package let privilege: String

    /// As GRANT writes it, for a role: the mend.
    package func grant(to role: String) -> String {
        privilege == "execute"
            ? "grant execute on function nudged.\(object) to \(role)"
            : "grant \(privilege) on nudged.\(object) to \(role)"
    }
}

extension DaemonRight {
    /// The role whose rights the migrations speak of.
    private static let role = "nudged_daemon"

    /// All that the migrations allow it (`nudged.allow`, sql/0006_roles.sql), which is what the daemon's statements need: read from their own text, so that
    /// there is one list of it. What a later one says of an object takes the place of what was said before.
    package static let all: [DaemonRight] = {
        var found: [(object: String, privileges: [String])] = []
        for migration in Migration.all {
            for statement in ScriptStatements.of(migration.script) {
                guard let said = allowed(statement) else { continue }
                found.removeAll { $0.object == said.object }
                found.append(said)
            }
        }
        return found.flatMap { said in said.privileges.map { DaemonRight(object: said.object, privilege: $0) } }
    }()

    /// `select nudged.allow('nudged_daemon', 'select, insert', 'nudged.person')`, with comments and line breaks before and between.
    static func allowed(_ statement: String) -> (object: String, privileges: [String])? {
        let lines = statement.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("--") }
        let text = lines.joined(separator: " ")
        guard text.drop(while: { $0 == " " }).hasPrefix("select nudged.allow(") else { return nil }
        // Between the quotation marks stand the three arguments.
        let parts = text.split(separator: "'", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 7, parts[1] == role, parts[5].hasPrefix("nudged.") else { return nil }
        let object = parts[5].dropFirst("nudged.".count).prefix { $0 != "(" }
        return (String(object), parts[3].split(separator: ",").map { String($0.drop { $0 == " " }) })
    }
}
