import APNs
import Configuration
import Policy
import TimeZones

/// A message or a reminder as it is decided, sent and recorded. Or several messages that are sent as one digest.
struct PendingText: Sendable {
    let identity: NudgeIdentity
    let members: [NudgeIdentity]
    let nudge: Nudge
    /// When the app sent the message, or when the message or reminder is due.
    let createdAt: Instant
    /// `createdAt` in microseconds since 1970.
    private let order: Int64
    /// Its own key, and others that it replaces.
    private(set) var replacedKeys: [String] = []
    /// Of several with the same key, only the newest is sent.
    var collapseKey: String? { replacedKeys.first }
    /// From this instant on it is useless. nil: never.
    private(set) var expiresAt: Instant?
    private(set) var isUrgent = false
    /// Names the pushes of a reminder, which replace each other on the phone. nil: not a reminder.
    private var reminderName: String?
    let content: PushText

    /// `due`: when a message for later is due. nil: at once.
    init(_ message: PendingMessage, due: Instant? = nil, conversation: Conversation? = nil, now: Instant) {
        let content = PushText(message, at: due ?? message.createdAt)
        identity = .message(message.id)
        members = [identity]
        var asked = Message(title: message.title, body: message.body, urgent: message.urgent)
        (asked.category, asked.conversation) = (message.category, conversation)
        (asked.createdAt, asked.expiresAt, asked.deliverAt) = (message.createdAt, message.expiresAt, due)
        switch content.surface {
        case .activity(let activity)? where activity.event == .start:
            // None starts in quiet hours, whatever its text says.
            (asked.title, asked.body, asked.urgent) = ("", "", false)
        case .some: asked.isSilent = true
        case nil: asked.isSilent = content.withdraws != nil
        }
        nudge = .message(asked)
        createdAt = due ?? message.createdAt
        order = due.map { $0.seconds * 1_000_000 } ?? message.order
        // One that is not due yet replaces nothing.
        if due.map({ $0 <= now }) ?? true { replacedKeys = Self.keys(message.collapseKey, content) }
        expiresAt = message.expiresAt
        isUrgent = message.urgent
        self.content = content
    }

    init(_ reminder: PendingReminder, due: Instant, now: Instant) {
        identity = .reminder(reminder.id)
        members = [identity]
        nudge = .reminder(Reminder(dueAt: due, recipientIsAuthor: reminder.isOwn))
        createdAt = due
        order = due.seconds * 1_000_000
        // Author and subject identify a reminder, even if it is set again. No text in the database contains U+0000.
        let name = [reminder.authorID.uuidString.lowercased(), reminder.subjectType, reminder.subjectID]
            .joined(separator: "\0")
        reminderName = name
        // Of several that are due, only the last is sent. One that is not due yet replaces nothing.
        if due <= now { replacedKeys = [Self.reminderPrefix + name] }
        content = PushText(reminder)
    }

    private static func keys(_ own: String?, _ content: PushText) -> [String] {
        switch content.surface {
        case .activity(let activity)?:
            let key = { (event: LiveActivity.Event) in "\0\(event.rawValue)\0\(activity.id)" }
            // What has ended is neither started nor updated any more.
            return activity.event == .end ? [key(.end), key(.update), key(.start)] : [key(activity.event)]
        case .widgets?: return ["\0widgets"]
        case .controls?: return ["\0controls"]
        // A newer badge replaces an older one.
        case nil: return own.map { [$0] } ?? (content.isBadgeAlone ? [badgeKey] : [])
        }
    }

    /// No message's key can start with U+0000.
    private static let badgeKey = "\0badge"
    private static let reminderPrefix = "\0reminder\0"

    /// Several messages that are sent as one. `texts` is in order and not empty.
    init(digestOf texts: [PendingText], named identity: NudgeIdentity, _ settings: Configuration.Messages) {
        self.identity = identity
        members = texts.map(\.identity)
        // It is useful as long as one of them is.
        expiresAt = texts.contains { $0.expiresAt == nil } ? nil : texts.compactMap(\.expiresAt).max()
        // Its text is the configuration's, so it is not searched for the user's keywords.
        var asked = Message(title: "", body: "", urgent: false)
        asked.createdAt = texts.map(\.createdAt).max()
        asked.expiresAt = expiresAt
        nudge = .message(asked)
        createdAt = texts.map(\.createdAt).min() ?? Instant(seconds: 0)
        order = texts.map(\.order).min() ?? 0
        replacedKeys = ["digest"]
        let body = settings.digestBody.replacing(Configuration.Messages.countPlaceholder, with: "\(texts.count)")
        content = PushText(title: settings.digestTitle, body: body, of: texts.map(\.content))
    }

    /// Whether it waits for a token: an activity has none until it has been started.
    var waitsForToken: Bool { if case .activity(let live)? = content.surface { live.event != .start } else { false } }

    func isExpired(at now: Instant) -> Bool { expiresAt.map { now >= $0 } ?? false }

    /// Names what its pushes replace on the phone: the last one with the same key, or only itself. A digest replaces
    /// the last digest. A withdrawal replaces its message, which Apple may still keep for a phone that is offline.
    var collapseName: String {
        if let reminderName { return reminderName }
        guard let collapseKey else { return content.withdraws ?? identity.key }
        return (identity.isDigest ? "" : "key:") + collapseKey
    }

    func isNewer(than other: PendingText) -> Bool { (order, identity.key) > (other.order, other.identity.key) }

    /// The order of evaluation: urgent messages, reminders (their hour was chosen), other messages; each by `order`.
    static func precedes(_ first: PendingText, _ second: PendingText) -> Bool {
        if first.isUrgent != second.isUrgent { return first.isUrgent }
        let isReminder = first.reminderName != nil
        if isReminder != (second.reminderName != nil) { return isReminder }
        return second.isNewer(than: first)
    }
}
