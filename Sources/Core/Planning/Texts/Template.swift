import APNs

import struct FoundationEssentials.UUID

/// A template of check-ins, parsed. A class, because each check-in is drawn from a list of them.
final class Template: Sendable {
    let id: Int32
    let weight: UInt64
    /// Normalized for comparison. nil: for users whose locale has no template.
    let locale: String?
    private let domain: String?
    private let title: TemplateText
    private let body: TemplateText
    /// What a tap opens. Others than the two below mean nothing here.
    private let action: String?
    private let names: [String]
    /// Everything but title, body, conversation and domain.
    private let frame: Notification
    /// Its payload for users without conversation and domain. nil: it has placeholders.
    private let plain: [UInt8]?

    /// nil: invalid. The database refuses such a row.
    init?(_ stored: StoredTemplate) {
        guard let title = TemplateText(stored.title), let body = TemplateText(stored.body), stored.weight > 0 else {
            return nil
        }
        id = stored.id
        weight = UInt64(stored.weight)
        locale = stored.locale.map(RecipientContext.normalized)
        domain = stored.domain
        self.title = title
        self.body = body
        action = stored.action
        names = title.names + body.names
        var frame = Notification(title: "", body: "")
        if let apns = stored.apns, !frame.take(apns: apns) || frame.isBackground { return nil }
        if let data = stored.data {
            guard let custom = CustomMembers(object: data) else { return nil }
            frame.custom = custom
        }
        self.frame = frame
        let filled = (title.filled(from: .none), body.filled(from: .none))
        guard case (let title?, let body?) = filled else {
            plain = nil
            return
        }
        frame.title = title
        frame.body = body
        plain = try? frame.rendered()
    }

    /// Whether both have the same text.
    func hasText(of other: Template) -> Bool {
        title == other.title && body == other.body && frame.localizedTitle == other.frame.localizedTitle
            && frame.localizedBody == other.frame.localizedBody
    }

    /// Why this user can't get it. nil: they can.
    func fault(for context: RecipientContext) -> TemplateOutcome? {
        if let domain, context.domain.map(ExactText.init) != ExactText(domain) { return .otherDomain }
        var missing = names.filter { context.text($0) == nil }
        if action == "open_conversation", context.conversationID == nil { missing.append("conversation_id") }
        return missing.isEmpty ? nil : .missing(missing)
    }

    /// Its payload for this user. nil: the context lacks something, or the payload is too long.
    func payload(for context: RecipientContext) -> [UInt8]? {
        if conversation(context) == nil, context.domain == nil, let plain { return plain }
        return try? notification(for: context)?.rendered()
    }

    private func notification(for context: RecipientContext) -> Notification? {
        guard let title = title.filled(from: context), let body = body.filled(from: context) else { return nil }
        var notification = frame
        notification.title = title
        notification.body = body
        notification.conversationID = conversation(context)
        notification.domain = context.domain
        return notification
    }

    /// Its text for this user, for the decision service or for changes before rendering.
    func content(for context: RecipientContext) -> PushText? {
        notification(for: context).map { PushText($0) }
    }

    private func conversation(_ context: RecipientContext) -> UUID? {
        action == "new_conversation" ? nil : context.conversationID
    }
}

extension RecipientContext {
    /// Of a user without a context.
    static let none = RecipientContext(json: nil)
}
