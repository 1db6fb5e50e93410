import APNs
import NudgedKit
import Store

import struct FoundationEssentials.UUID

/// A template of check-ins, ready to be filled. By reference: each check-in is drawn from a list of them.
final class Template: Sendable {
    let id: Int32
    let weight: UInt64
    /// As locales are compared; nil: for those whose own has none.
    let locale: String?
    private let domain: String?
    private let title: TemplateText
    private let body: TemplateText
    private let action: PayloadAction?
    private let names: [String]
    /// Its payload for everyone who has neither a conversation nor a domain; nil where it has placeholders.
    private let plain: [UInt8]?

    /// nil: the database refuses such a row.
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
        action = stored.action.flatMap(PayloadAction.init(rawValue:))
        names = title.names + body.names
        let words = (title.filled(from: .none), body.filled(from: .none))
        guard case (let title?, let body?) = words else {
            plain = nil
            return
        }
        plain = try? Notification(title: title, body: body).rendered()
    }

    /// Whether both say the same.
    func hasWords(of other: Template) -> Bool { title == other.title && body == other.body }

    /// Why it is nothing for this user; nil: it could be taken.
    func fault(for context: RecipientContext) -> TemplateFate? {
        if let domain, domain != context.domain { return .otherDomain }
        var missing = names.filter { context.words($0) == nil }
        if action == .openConversation, context.conversationID == nil { missing.append("conversation_id") }
        return missing.isEmpty ? nil : .missing(missing)
    }

    /// What its push says to this user; nil: it can't be said, or is too long to be sent.
    func payload(for context: RecipientContext) -> [UInt8]? {
        let conversation = conversation(context)
        if conversation == nil, context.domain == nil, let plain { return plain }
        guard let title = title.filled(from: context), let body = body.filled(from: context) else { return nil }
        var notification = Notification(title: title, body: body)
        notification.conversationID = conversation
        notification.domain = context.domain
        return try? notification.rendered()
    }

    /// The same words, to be heard or changed before they are rendered.
    func content(for context: RecipientContext) -> PushText? {
        guard let title = title.filled(from: context), let body = body.filled(from: context) else { return nil }
        return PushText(
            title: title,
            body: body,
            conversationID: conversation(context),
            domain: context.domain
        )
    }

    private func conversation(_ context: RecipientContext) -> UUID? {
        action == .newConversation ? nil : context.conversationID
    }
}

extension RecipientContext {
    /// Of a user of whom nothing is known.
    static let none = RecipientContext(json: nil)
}
