import Configuration
import Policy
import Store
import TimeZones

/// A message or a reminder as it is decided, sent and recorded, or several messages that go out as one digest.
struct PendingText: Sendable {
    let identity: NudgeIdentity
    /// What the record names: the messages of a digest; else itself.
    let members: [NudgeIdentity]
    /// What the policy is asked.
    let nudge: Nudge
    /// When the app said it; a reminder's hour.
    let createdAt: Instant
    /// The same to the microsecond.
    private let order: Int64
    /// Of several with one key only the newest is sent.
    let collapseKey: String?
    /// From when on it is of no use; nil: never.
    let expiresAt: Instant?
    /// Whether its sender calls it urgent.
    let isUrgent: Bool
    /// What a reminder's pushes replace, whether its hour came or not; nil: it is none.
    private let reminderName: String?
    /// Its words and what goes with them.
    let content: PushText

    init(_ message: PendingMessage) {
        identity = .message(message.id)
        members = [identity]
        nudge = .message(
            Message(
                title: message.title,
                body: message.body,
                urgent: message.urgent,
                expiresAt: message.expiresAt
            )
        )
        createdAt = message.createdAt
        order = message.order
        collapseKey = message.collapseKey
        expiresAt = message.expiresAt
        isUrgent = message.urgent
        reminderName = nil
        content = PushText(message)
    }

    /// - Parameter due: its hour.
    init(_ reminder: PendingReminder, due: Instant, now: Instant) {
        identity = .reminder(reminder.id)
        members = [identity]
        nudge = .reminder(Reminder(dueAt: due, recipientIsAuthor: reminder.isOwn))
        createdAt = due
        order = due.seconds
        // Author and subject name a reminder, however often it is set anew; no text in the database holds U+0000.
        let name = [reminder.authorID.uuidString.lowercased(), reminder.subjectType, reminder.subjectID]
            .joined(separator: "\0")
        reminderName = name
        // Of several hours that came, the last says all; one that is still to come replaces nothing.
        collapseKey = due <= now ? Self.reminderPrefix + name : nil
        expiresAt = nil
        isUrgent = false
        content = PushText(reminder)
    }

    /// No key of a message's is like it.
    private static let reminderPrefix = "\0reminder\0"

    /// Several that go out as one. `texts` is in order and not empty.
    init(digestOf texts: [PendingText], named identity: NudgeIdentity, _ settings: Configuration.Messages) {
        self.identity = identity
        members = texts.map(\.identity)
        // Of use as long as one of them is.
        expiresAt = texts.contains { $0.expiresAt == nil } ? nil : texts.compactMap(\.expiresAt).max()
        // Its words are ours: no keyword of the user's is sought in them.
        nudge = .message(Message(title: "", body: "", urgent: false, expiresAt: expiresAt))
        createdAt = texts.map(\.createdAt).min() ?? Instant(seconds: 0)
        order = texts.map(\.order).min() ?? 0
        collapseKey = Self.digestKey
        isUrgent = false
        reminderName = nil
        content = PushText(
            title: settings.digestTitle,
            body: settings.digestBody.replacing(Configuration.Messages.countPlaceholder, with: "\(texts.count)"),
            of: texts.map(\.content)
        )
    }

    private static let digestKey = "digest"

    /// Someone waits for it: a day, where nothing else is said.
    func expiration(now: Instant) -> Instant { expiresAt ?? now + 86_400 }

    func isExpired(at now: Instant) -> Bool { expiresAt.map { now >= $0 } ?? false }

    /// What its pushes replace on the phone: the last with its key, or itself. A digest replaces the digest of the
    /// night before.
    var collapseName: String {
        if let reminderName { return reminderName }
        guard let collapseKey else { return identity.key }
        return (identity.isDigest ? "" : "key:") + collapseKey
    }

    func isNewer(than other: PendingText) -> Bool {
        (order, identity.key) > (other.order, other.identity.key)
    }

    /// In the order in which they are decided: urgent ones, then the oldest.
    static func precedes(_ first: PendingText, _ second: PendingText) -> Bool {
        if first.isUrgent != second.isUrgent { return first.isUrgent }
        return second.isNewer(than: first)
    }
}
