import JSON
import Policy
import TimeZones

import struct FoundationEssentials.UUID

/// What the app knows about a user: the column `context`. A wrong member affects only texts that need it.
struct RecipientContext: Sendable, Equatable {
    /// Empty if the column is null, too long or not an object.
    private(set) var object = JSONObject()

    static let none = RecipientContext(json: nil)

    init(json: String?) { if let json, case .object(let found)? = try? JSONValue(parsing: json) { object = found } }

    /// A placeholder's value: an integer, or a text without white space around it. nil: missing, or not printable.
    func text(_ name: String) -> String? {
        switch object[name] {
        case .string(let text) where !text.isBlank:
            let scalars = text.unicodeScalars
            guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
                let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
            else { return nil }
            let trimmed = scalars[first...last]
            return trimmed.contains { $0.properties.generalCategory == .control } ? nil : String(trimmed)
        case .int(let number): return "\(number)"
        default: return nil
        }
    }

    /// The conversation that a tap opens. nil: none, or not a UUID.
    var conversationID: UUID? { object["conversation_id"]?.text.flatMap { UUID(exactly: $0) } }

    /// What the app knows of that conversation. nil: nothing, or a member is wrong.
    var conversation: Conversation? {
        guard conversationID != nil, case .int(let messages)? = object["conversation_messages"], messages >= 0,
            case .string(let last)? = object["conversation_last_at"], let lastAt = Instant(rfc3339: last)
        else { return nil }
        return Conversation(messages: messages, lastAt: lastAt)
    }

    /// The app's own grouping of conversations.
    var domain: String? { object["domain"]?.text.flatMap { $0.isEmpty ? nil : $0 } }

    /// The user's locales, the most exact first: `pt-BR` gives `pt-br`, then `pt` (RFC 4647, section 3.4).
    var locales: [String] {
        guard case .string(let text)? = object["locale"] else { return [] }
        var parts = Self.normalized(text).split(separator: "-", omittingEmptySubsequences: false)
        var locales: [String] = []
        while !parts.isEmpty, locales.count < 8 {
            locales.append(parts.joined(separator: "-"))
            parts.removeLast()
            // A single letter or digit has no meaning without the part after it.
            if parts.count > 1, parts.last?.count == 1 { parts.removeLast() }
        }
        return locales
    }

    /// A message in the user's language: the closest of its texts. Without one, the message as it is.
    func translated(_ message: PendingMessage) -> PendingMessage {
        guard let texts = message.texts, case .object(let all)? = try? JSONValue(parsing: texts) else { return message }
        let said = Dictionary(all.members.map { (Self.normalized($0.key), $0.value) }) { first, _ in first }
        guard let text = locales.lazy.compactMap({ said[$0] }).first else { return message }
        var message = message
        message.title = text["title"]?.text ?? ""
        message.body = text["body"]?.text ?? ""
        return message
    }

    /// The form in which locales are compared: lower case, `-` for `_`, and no POSIX encoding.
    static func normalized(_ locale: String) -> String {
        String(locale.lowercased().prefix { $0 != "." && $0 != "@" }.map { $0 == "_" ? "-" : $0 })
    }
}
