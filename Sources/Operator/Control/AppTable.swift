import Core

/// One of the app's two tables, as the migrations treat it (`sql/0001_app_tables.sql`, `sql/0002_…`).
struct AppTable: Sendable, Equatable {
    struct Column: Sendable, Equatable {
        /// What happens if the column is missing.
        enum Absence: Sendable, Equatable {
            case refused
            case added(String)
            case accepted
        }

        let name: String
        let ifMissing: Absence
        /// The usual one first. Empty: any type is good.
        var types: [String] = []
    }

    /// In schema `public`.
    let name: String
    /// The view that reads it. An app with other tables makes this view itself.
    let view: DatabaseFacts.View
    let holds: String
    let columns: [Column]
    let triggers: [String]

    private static let text = ["text", "character varying", "character", "citext", "name"]
    private static let json = ["jsonb", "json"] + text
    private static let time = ["timestamp with time zone", "timestamp without time zone", "date"]

    static let all = [
        AppTable(
            name: "context_profiles",
            view: .recipient,
            holds: "users",
            columns: [
                Column(name: "user_id", ifMissing: .refused, types: ["uuid"]),
                Column(name: "notification_preferences", ifMissing: .added("jsonb"), types: json),
                Column(name: "first_session_complete", ifMissing: .added("boolean"), types: ["boolean"]),
                Column(name: "timezone", ifMissing: .added("text")),
                Column(name: "nudge_context", ifMissing: .accepted, types: json),
            ],
            triggers: ["nudged_profile_inserted", "nudged_profile_updated", "nudged_profile_deleted"]
        ),
        AppTable(
            name: "push_tokens",
            view: .device,
            holds: "devices",
            columns: [
                Column(name: "user_id", ifMissing: .refused, types: ["uuid"]),
                Column(name: "device_token", ifMissing: .refused, types: text),
                Column(name: "platform", ifMissing: .added("text")),
                Column(name: "created_at", ifMissing: .added("timestamptz"), types: time),
                Column(name: "updated_at", ifMissing: .added("timestamptz"), types: time),
                Column(name: "environment", ifMissing: .added("text")),
                Column(name: "topic", ifMissing: .added("text")),
            ],
            triggers: ["nudged_device_inserted", "nudged_device_updated", "nudged_device_deleted"]
        ),
    ]

    /// A table that nudged makes has more.
    static let ownTriggers = ["push_tokens": ["nudged_device_limit", "nudged_device_renewed"]]

    /// What an app with other tables types before `nudged migrate`.
    static let mapping = [
        "create schema nudged;",
        "create view nudged.recipient as select … as user_id, … as preferences, … as timezone,",
        "    … as first_session_complete, … as context from …;",
        "create view nudged.device as select … as user_id, … as token, … as registered_at,",
        "    … as environment, … as topic from …;",
    ]
}
