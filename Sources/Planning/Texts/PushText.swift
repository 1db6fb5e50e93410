import APNs
import JSON
import Store

import struct FoundationEssentials.UUID

/// The text and data of a nudge's pushes.
struct PushText: Sendable {
    private(set) var title: String
    private(set) var body: String
    private let conversationID: UUID?
    private let domain: String?
    private let category: String?
    private let threadID: String?
    /// nil: a payload can't hold the row's data. `nudged_api.send` refuses such data, so somebody wrote the row
    /// directly.
    private let custom: CustomMembers?
    /// The row's data as JSON. nil: none.
    private let data: String?
    /// Whether one of a digest's messages is a mention.
    private let holdsMention: Bool

    init(_ message: PendingMessage) {
        title = message.title
        body = message.body
        conversationID = message.conversationID.flatMap(UUID.init(uuidString:))
        domain = message.domain
        category = message.category
        threadID = message.threadID
        data = message.data
        holdsMention = false
        custom = message.data.map { try? CustomMembers(object: $0) } ?? CustomMembers.none
    }

    init(_ reminder: PendingReminder) {
        title = reminder.title
        body = reminder.body
        conversationID = nil
        domain = nil
        category = nil
        threadID = nil
        data = nil
        holdsMention = false
        custom = try? CustomMembers([
            ("subject_type", Self.json(reminder.subjectType)), ("subject_id", Self.json(reminder.subjectID)),
        ])
    }

    private static func json(_ text: String) -> String {
        var json = JSONWriter()
        json.string(text)
        return json.string
    }

    /// A digest: its own text, and the members that all contents share.
    init(title: String, body: String, of contents: [PushText]) {
        func common<Value: Equatable>(_ member: (PushText) -> Value?) -> Value? {
            guard let first = contents.first.flatMap(member) else { return nil }
            return contents.allSatisfy { member($0) == first } ? first : nil
        }
        self.title = title
        self.body = body
        conversationID = common(\.conversationID)
        domain = common(\.domain)
        threadID = common(\.threadID)
        category = nil
        custom = CustomMembers.none
        data = nil
        holdsMention = contents.contains(where: \.isMention)
    }

    /// The text of a check-in.
    init(title: String, body: String, conversationID: UUID? = nil, domain: String? = nil) {
        self.title = title
        self.body = body
        self.conversationID = conversationID
        self.domain = domain
        category = nil
        threadID = nil
        custom = CustomMembers.none
        data = nil
        holdsMention = false
    }

    /// Whether it mentions this user: its category is `mention`, or its data contains `"mention": true`.
    var isMention: Bool {
        if holdsMention || category == "mention" { return true }
        guard let data, case .bool(true)? = (try? JSONValue(parsing: data))?["mention"] else { return false }
        return true
    }

    /// The same with another title or body. nil: unchanged.
    func saying(_ title: String?, _ body: String?) -> PushText {
        var other = self
        other.title = title ?? self.title
        other.body = body ?? self.body
        return other
    }

    /// The payload. nil: it can't be rendered.
    ///
    /// - Parameter passesFocus: whether a focus mode of the phone lets it through (time-sensitive).
    func payload(passesFocus: Bool) -> [UInt8]? {
        guard let custom else { return nil }
        var notification = Notification(title: title, body: body)
        notification.conversationID = conversationID
        notification.domain = domain
        notification.category = category
        notification.threadID = threadID
        notification.custom = custom
        notification.interruptionLevel = passesFocus ? .timeSensitive : nil
        var bytes: [UInt8] = []
        notification.render(into: &bytes)
        // Too long with the interruption level. `nudged_api.send` could not know that a keyword makes the message
        // urgent. So send the text without the level.
        guard bytes.count > PushType.alert.payloadLimit, passesFocus else { return bytes }
        return payload(passesFocus: false)
    }
}
