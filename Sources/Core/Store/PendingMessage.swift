package import FoundationEssentials
import Postgres
package import TimeZones

/// A message that waits: a row of `nudged.message`.
package struct PendingMessage: Sendable, Equatable {
    package let id: UUID
    /// When `nudged_api.send` was called.
    package let createdAt: Instant
    /// `createdAt` in microseconds since 1970; nil: in whole seconds.
    var createdAtMicroseconds: Int64?
    /// May be empty, as may the body.
    package var title: String
    package var body: String
    /// A JSON object of members beside `aps`, without `conversation_id` and `domain`; nil: none.
    package var data: String?
    /// The conversation that a tap opens, as the app wrote it.
    package var conversationID: String?
    /// The app's own grouping of conversations.
    package var domain: String?
    /// Whether it passes quiet hours, if the user allows that.
    package var urgent = false
    /// Apple's notification category: which actions the phone offers.
    package var category: String?
    /// Groups notifications on the phone.
    package var threadID: String?
    /// Of several waiting messages with one key only the newest is sent.
    package var collapseKey: String?
    /// From then on it is dropped; nil: never.
    package var expiresAt: Instant?
    /// How the phone shows it: a JSON object; nil: nothing is set.
    package var apns: String?
    /// Not before this instant, or this wall time in the user's zone; nil: at once.
    package var due: PendingReminder.Due?
    /// Title and body by language: a JSON object; nil: none.
    package var texts: String?

    package var wakesAt: Instant? { due?.earliest }

    /// Orders messages of one second as well.
    var order: Int64 { createdAtMicroseconds ?? createdAt.microseconds }
}

extension PendingMessage {
    package init(id: UUID, createdAt: Instant, title: String, body: String) {
        self.init(id: id, createdAt: createdAt, createdAtMicroseconds: nil, title: title, body: body)
    }

    /// Columns of `Query.claimMessages`. `Query.claimMessagesBounded` has one more: how many messages can be due.
    static let columns = 17
    static let apnsColumn = 13

    /// Reads a row of `Query.claimMessages`.
    init(_ rows: Rows, _ row: Int) throws(PostgresError) {
        let created = try rows.reachableTimestampOrNull(row, 2)
        self.init(
            id: try rows.uuid(row, 1),
            createdAt: Instant(nearest: created) ?? Instant(seconds: 0),
            createdAtMicroseconds: created,
            title: try rows.text(row, 3),
            body: try rows.text(row, 4),
            data: try rows.textOrNull(row, 5),
            conversationID: try rows.textOrNull(row, 6),
            domain: try rows.textOrNull(row, 7),
            urgent: try rows.boolOrNull(row, 8) ?? false,
            category: try rows.textOrNull(row, 9),
            threadID: try rows.textOrNull(row, 10),
            collapseKey: try rows.textOrNull(row, 11),
            expiresAt: try rows.nearest(row, 12),
            apns: try rows.textOrNull(row, Self.apnsColumn),
            due: try PendingReminder.Due(rows, row, at: 14, local: 15),
            texts: try rows.textOrNull(row, 16)
        )
    }
}
