import Core
import Postgres

struct WantedColumn: Sendable, Equatable {
    enum Absence: Sendable, Equatable {
        case refused
        case added(String)
        case accepted
    }

    let name: String
    /// The usual one first. Empty: any type is good, since the value is read as text.
    let types: [String]
    let ifMissing: Absence

    init(_ name: String, _ types: [String] = [], ifMissing: Absence = .refused) {
        (self.name, self.types, self.ifMissing) = (name, types, ifMissing)
    }

    func isGood(_ type: String) -> Bool { types.isEmpty || types.contains(type) }

    static let text = ["text", "character varying", "character", "citext", "name"]
    static let json = ["jsonb", "json"] + text
    static let time = ["timestamp with time zone", "timestamp without time zone", "date"]
}

extension DatabaseFacts.View {
    var columns: [WantedColumn] {
        let user = WantedColumn("user_id", ["uuid"])
        switch self {
        case .recipient:
            return [
                user, WantedColumn("preferences"), WantedColumn("timezone"),
                WantedColumn("first_session_complete", ["boolean", "integer", "text"]),
            ]
        case .device:
            return [
                user, WantedColumn("token"), WantedColumn("registered_at", WantedColumn.time),
                WantedColumn("environment"), WantedColumn("topic"),
            ]
        case .subjectMember:
            let key = ["text", "character varying", "name"]
            return [WantedColumn("subject_type", key), WantedColumn("subject_id", key), user]
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

    /// `user_id uuid, token text, …`.
    var shape: String {
        columns.map { "\($0.name) \($0.types.first ?? ($0.name == "preferences" ? "jsonb" : "text"))" }
            .joined(separator: ", ")
    }
}

/// One of the app's two tables, as the migrations treat it (`sql/0001_app_tables.sql`, `sql/0002_…`).
struct AppTable: Sendable, Equatable {
    /// In schema `public`.
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
                WantedColumn("user_id", ["uuid"]),
                WantedColumn("notification_preferences", WantedColumn.json, ifMissing: .added("jsonb")),
                WantedColumn("first_session_complete", ["boolean"], ifMissing: .added("boolean")),
                WantedColumn("timezone", ifMissing: .added("text")),
                WantedColumn("nudge_context", WantedColumn.json, ifMissing: .accepted),
            ],
            triggers: ["nudged_profile_inserted", "nudged_profile_updated", "nudged_profile_deleted"]
        ),
        AppTable(
            name: "push_tokens",
            view: .device,
            holds: "devices",
            columns: [
                WantedColumn("user_id", ["uuid"]), WantedColumn("device_token", WantedColumn.text),
                WantedColumn("platform", ifMissing: .added("text")),
                WantedColumn("created_at", WantedColumn.time, ifMissing: .added("timestamptz")),
                WantedColumn("updated_at", WantedColumn.time, ifMissing: .added("timestamptz")),
                WantedColumn("environment", ifMissing: .added("text")),
                WantedColumn("topic", ifMissing: .added("text")),
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
