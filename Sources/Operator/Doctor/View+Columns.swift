import Core

extension DatabaseFacts.View {
    /// A column that the daemon's statements name. Without types, any type is good: the value is read as text.
    struct WantedColumn: Sendable {
        let name: String
        var types: [String] = []
    }

    /// The required columns; each column's usual type is the first. `context` of `recipient` is optional.
    var columns: [WantedColumn] {
        let user = WantedColumn(name: "user_id", types: ["uuid"])
        switch self {
        case .recipient:
            return [
                user, WantedColumn(name: "preferences"), WantedColumn(name: "timezone"),
                WantedColumn(name: "first_session_complete", types: ["boolean", "integer", "text"]),
            ]
        case .device:
            return [
                user, WantedColumn(name: "token"),
                WantedColumn(
                    name: "registered_at",
                    types: ["timestamp with time zone", "timestamp without time zone", "date"]
                ),
                WantedColumn(name: "environment"), WantedColumn(name: "topic"),
            ]
        case .subjectMember:
            return [
                WantedColumn(name: "subject_type", types: ["text", "character varying", "name"]),
                WantedColumn(name: "subject_id", types: ["text", "character varying", "name"]), user,
            ]
        }
    }

    /// `user_id uuid, token text, …`.
    var shape: String {
        columns.map { "\($0.name) \($0.types.first ?? ($0.name == "preferences" ? "jsonb" : "text"))" }.joined(
            separator: ", "
        )
    }
}
