import JSON
import NudgedKit

import struct FoundationEssentials.UUID

/// What an app knows of a user: the view's column `context`. Anything in it may be missing or wrong; that harms only
/// the words that needed it.
struct RecipientContext: Sendable, Equatable {
    /// Nothing where the column is null, no object, or too long.
    let object: JSONObject

    /// - Parameter json: any text, or nil.
    init(json: String?) {
        guard let json, case .object(let object)? = try? JSONValue(parsing: json) else {
            self.object = JSONObject()
            return
        }
        self.object = object
    }

    /// What a placeholder of this name stands for: a text without the white space around it, or an int. nil: there is
    /// none that could be said.
    func words(_ name: String) -> String? {
        switch object[name] {
        case .string(let text) where !text.isBlank:
            let scalars = text.unicodeScalars
            guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
                let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
            else { return nil }
            let words = scalars[first...last]
            return words.contains { $0.properties.generalCategory == .control } ? nil : String(words)
        case .int(let number): return "\(number)"
        default: return nil
        }
    }

    /// The conversation that a tap opens; nil where there is none, or what is there is no UUID.
    var conversationID: UUID? {
        guard case .string(let text)? = object["conversation_id"], let id = ConversationID(text) else { return nil }
        return UUID(uuidString: id.description)
    }

    /// The app's own division of conversations.
    var domain: String? {
        guard case .string(let text)? = object["domain"], !text.isEmpty else { return nil }
        return text
    }

    /// The user's language, most exact first: `pt-BR` is `pt-br`, then `pt` (RFC 4647, section 3.4).
    var locales: [String] {
        guard case .string(let text)? = object["locale"] else { return [] }
        var parts = Self.normalized(text).split(separator: "-", omittingEmptySubsequences: false)
        var locales: [String] = []
        while !parts.isEmpty, locales.count < 8 {
            locales.append(parts.joined(separator: "-"))
            parts.removeLast()
            // A single letter or digit means nothing without what follows it.
            if parts.count > 1, parts.last?.count == 1 { parts.removeLast() }
        }
        return locales
    }

    /// As locales are compared: in small letters, `_` as `-`, without POSIX's encoding.
    static func normalized(_ locale: String) -> String {
        String(locale.lowercased().prefix { $0 != "." && $0 != "@" }.map { $0 == "_" ? "-" : $0 })
    }
}
