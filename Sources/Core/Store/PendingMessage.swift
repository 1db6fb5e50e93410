package import FoundationEssentials
import Postgres
package import TimeZones

/// A message that waits: a row of `nudged.message`.
package struct PendingMessage: Sendable, Equatable {
    package let id: UUID
    /// When `nudged_api.send` was called.
    package let createdAt: Instant
    /// `createdAt` in microseconds since 1970: the order of messages in one second.
    package let order: Int64
    /// May be empty.
    package let title: String
    /// May be empty.
    package let body: String
    /// A JSON object of members beside `aps`, without `conversation_id` and `domain`; nil: none.
    package let data: String?
    /// The conversation that a tap opens, as the app wrote it.
    package let conversationID: String?
    /// The app's own grouping of conversations.
    package let domain: String?
    /// Whether it passes quiet hours, if the user allows that.
    package let urgent: Bool
    /// Apple's notification category: which actions the phone offers.
    package let category: String?
    /// Groups notifications on the phone.
    package let threadID: String?
    /// Of several waiting messages with one key only the newest is sent.
    package let collapseKey: String?
    /// From then on it is dropped; nil: never.
    package let expiresAt: Instant?
    /// How the phone shows it: a JSON object; nil: nothing is set.
    package let apns: String?
    /// Not before this instant, or this wall time in the user's zone; nil: at once.
    package let due: PendingReminder.Due?

    package init(
        id: UUID,
        createdAt: Instant,
        order: Int64? = nil,
        title: String,
        body: String,
        data: String? = nil,
        conversationID: String? = nil,
        domain: String? = nil,
        urgent: Bool = false,
        category: String? = nil,
        threadID: String? = nil,
        collapseKey: String? = nil,
        expiresAt: Instant? = nil,
        apns: String? = nil,
        due: PendingReminder.Due? = nil
    ) {
        self.id = id
        self.createdAt = createdAt
        self.order = order ?? createdAt.microseconds
        self.title = title
        self.body = body
        self.data = data
        self.conversationID = conversationID
        self.domain = domain
        self.urgent = urgent
        self.category = category
        self.threadID = threadID
        self.collapseKey = collapseKey
        self.expiresAt = expiresAt
        self.apns = apns
        self.due = due
    }

    /// The earliest instant at which it can be due in any zone; nil: at once.
    package var wakesAt: Instant? { due?.earliest }
}

extension PendingMessage {
    /// Columns of `Query.claimMessages`. `Query.claimMessagesBounded` has one more: how many messages can be due.
    static let columns = 16

    /// Reads a row of `Query.claimMessages`.
    init(_ rows: Rows, _ row: Int) throws(PostgresError) {
        let created = try rows.reachableTimestampOrNull(row, 2)
        self.init(
            id: try rows.uuid(row, 1),
            createdAt: Instant(nearest: created) ?? Instant(seconds: 0),
            order: created,
            title: try rows.text(row, 3),
            body: try rows.text(row, 4),
            data: try rows.textOrNull(row, 5),
            conversationID: try rows.textOrNull(row, 6),
            domain: try rows.textOrNull(row, 7),
            urgent: try rows.boolOrNull(row, 8) ?? false,
            category: try rows.textOrNull(row, 9),
            threadID: try rows.textOrNull(row, 10),
            collapseKey: try rows.textOrNull(row, 11),
            expiresAt: Instant(nearest: try rows.reachableTimestampOrNull(row, 12)),
            apns: try rows.textOrNull(row, 13),
            due: try Self.due(rows, row)
        )
    }

    private static func due(_ rows: Rows, _ row: Int) throws(PostgresError) -> PendingReminder.Due? {
        if let instant = Instant(nearest: try rows.reachableTimestampOrNull(row, 14)) { return .at(instant) }
        return Instant(nearest: try rows.reachableTimestampOrNull(row, 15)).map { .local(LocalDateTime(asUTC: $0)) }
    }
}
