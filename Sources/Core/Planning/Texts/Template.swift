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
        if let apns = stored.apns, !frame.take(apns: apns) || frame.isContentAvailable { return nil }
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
        (frame.title, frame.body) = (title, body)
        plain = try? frame.rendered(limit: Notification.unnamedLimit)
    }

    var badgeIncrement: Int { frame.badgeIncrement }

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
        return try? notification(for: context)?.rendered(limit: Notification.unnamedLimit)
    }

    private func notification(for context: RecipientContext) -> Notification? {
        guard let title = title.filled(from: context), let body = body.filled(from: context) else { return nil }
        var notification = frame
        (notification.title, notification.body) = (title, body)
        (notification.conversationID, notification.domain) = (conversation(context), context.domain)
        return notification
    }

    /// Its text for this user, for the decision service or for changes before rendering.
    func content(for context: RecipientContext) -> PushText? { notification(for: context).map { PushText($0) } }

    private func conversation(_ context: RecipientContext) -> UUID? {
        action == "new_conversation" ? nil : context.conversationID
    }
}

/// A template's title or body as text and placeholders. `{first_name}` is a placeholder. `{{` and `}}` are braces.
struct TemplateText: Sendable, Equatable {
    private enum Piece: Sendable, Equatable {
        case text(String)
        case placeholder(String)
    }

    private var pieces: [Piece] = []

    private static let longestName = 63

    /// nil: a brace belongs to no placeholder. The database refuses such a template (`nudged.check_template`).
    init?(_ source: String) {
        var rest = source.unicodeScalars[...]
        var text = ""
        while let scalar = rest.popFirst() {
            switch (scalar, rest.first) {
            case ("{", "{"), ("}", "}"):
                rest.removeFirst()
                text.unicodeScalars.append(scalar)
            case ("{", _):
                guard let name = Self.name(&rest) else { return nil }
                if !text.isEmpty { pieces.append(.text(text)) }
                text = ""
                pieces.append(.placeholder(name))
            case ("}", _): return nil
            default: text.unicodeScalars.append(scalar)
            }
        }
        if !text.isEmpty { pieces.append(.text(text)) }
    }

    /// Takes the name and the closing brace. nil: not a valid name.
    private static func name(_ rest: inout Substring.UnicodeScalarView) -> String? {
        guard let end = rest.firstIndex(of: "}") else { return nil }
        let name = rest[..<end]
        guard name.count <= longestName, let first = name.first, ("a"..."z").contains(first) else { return nil }
        guard name.allSatisfy({ ("a"..."z").contains($0) || ("0"..."9").contains($0) || $0 == "_" }) else { return nil }
        rest = rest[end...].dropFirst()
        return String(name)
    }

    var names: [String] { pieces.compactMap { if case .placeholder(let name) = $0 { name } else { nil } } }

    /// The text. nil: the context lacks a placeholder's value.
    func filled(from context: RecipientContext) -> String? {
        var filled = ""
        for piece in pieces {
            switch piece {
            case .text(let text): filled += text
            case .placeholder(let name):
                guard let value = context.text(name) else { return nil }
                filled += value
            }
        }
        return filled
    }
}

/// The result for a template when a text was chosen, for `nudged explain`. It names what is missing, never a value.
package struct TemplateOutcome: Sendable, Equatable {
    package let name: String
    private let words: String
    package var missing: [String] = []

    package static let chosen = TemplateOutcome(name: "chosen", words: "chosen")
    static let notDrawn = TemplateOutcome(name: "not_drawn", words: "was not drawn this time")
    static let otherDomain = TemplateOutcome(name: "other_domain", words: "is for another domain")
    static let otherLocale = Self(name: "other_locale", words: "is for another locale, or there is a closer one")
    static let last = TemplateOutcome(name: "last", words: "was the last check-in's template")
    static let tooLong = TemplateOutcome(name: "too_long", words: "is too long for a push with what the context says")

    static func missing(_ names: [String]) -> TemplateOutcome {
        TemplateOutcome(name: "missing", words: "which the context does not say", missing: names)
    }

    package var text: String { missing.isEmpty ? words : "needs \(missing.joined(separator: ", ")), \(words)" }
}
