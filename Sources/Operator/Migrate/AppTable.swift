import Core
import Postgres

struct WantedColumn: Sendable, Equatable {
    let name: String
    /// The usual one first. Empty: any type is good, since the value is read as text.
    let types: [String]
    /// The type of the new column if it is missing.
    let added: String?
    let isNeeded: Bool

    init(_ name: String, _ types: [String] = [], added: String? = nil, isNeeded: Bool = true) {
        (self.name, self.types, self.added, self.isNeeded) = (name, types, added, isNeeded)
    }

    func isGood(_ type: String) -> Bool { types.isEmpty || types.contains(type) }

    static let text = ["text", "character varying", "character", "citext", "name"]
    static let json = ["jsonb", "json"] + text
    static let time = ["timestamp with time zone", "timestamp without time zone", "date"]
}

extension DatabaseFacts.View {
    var columns: [WantedColumn] {
        let user = WantedColumn("user_id", ["uuid"])
        let (flag, key) = (["boolean", "integer", "text"], ["text", "character varying", "name"])
        return switch self {
        case .recipient: [user, .init("preferences"), .init("timezone"), .init("first_session_complete", flag)]
        case .device:
            [user, .init("token"), .init("registered_at", WantedColumn.time), .init("environment"), .init("topic")]
        case .subjectMember: [.init("subject_type", key), .init("subject_id", key), user]
        }
    }

    /// The daemon's own statement, for no user. It checks the columns, their types and the rights of the view's owner.
    var probe: Statement {
        switch self {
        case .recipient: return Query.claimProfiles([.uuidArray([]), .int8(.max), .int8(1)])
        case .device: return Query.claimDevices([.uuidArray([]), .int8(1)])
        case .subjectMember:
            return Query.fanOutMembers([.text(""), .text(""), .null(.uuid), .int8(0), .null(.uuid), .uuidArray([])])
        }
    }

    var shape: String {
        columns.map { "\($0.name) \($0.types.first ?? ($0.name == "preferences" ? "jsonb" : "text"))" }
            .joined(separator: ", ")
    }
}

/// One of the app's two tables, as the migrations treat it (`sql/0001_app_tables.sql`, `sql/0002_…`).
struct AppTable: Sendable, Equatable {
    let name: String
    /// The view that reads it. An app with other tables makes this view itself.
    let view: DatabaseFacts.View
    let holds: String
    let columns: [WantedColumn]
    let triggers: [String]
    /// Those of a table that nudged makes.
    var ownTriggers: [String] = []

    static let all = [
        AppTable(
            name: "context_profiles",
            view: .recipient,
            holds: "users",
            columns: [
                .init("user_id", ["uuid"]), .init("notification_preferences", WantedColumn.json, added: "jsonb"),
                .init("first_session_complete", ["boolean"], added: "boolean"), .init("timezone", added: "text"),
                .init("nudge_context", WantedColumn.json, isNeeded: false),
            ],
            triggers: ["nudged_profile_inserted", "nudged_profile_updated", "nudged_profile_deleted"]
        ),
        AppTable(
            name: "push_tokens",
            view: .device,
            holds: "devices",
            columns: [
                .init("user_id", ["uuid"]), .init("device_token", WantedColumn.text), .init("platform", added: "text"),
                .init("created_at", WantedColumn.time, added: "timestamptz"),
                .init("updated_at", WantedColumn.time, added: "timestamptz"),
                .init("environment", added: "text"), .init("topic", added: "text"),
            ],
            triggers: ["nudged_device_inserted", "nudged_device_updated", "nudged_device_deleted"],
            ownTriggers: ["nudged_device_limit", "nudged_device_renewed"]
        ),
    ]

    /// What an app with other tables types before `nudged migrate`.
    static let mapping = [
        "create schema nudged;",
        "create view nudged.recipient as select … as user_id, … as preferences, … as timezone,",
        "    … as first_session_complete, … as context from …;",
        "create view nudged.device as select … as user_id, … as token, … as registered_at,",
        "    … as environment, … as topic from …;",
    ]
}
