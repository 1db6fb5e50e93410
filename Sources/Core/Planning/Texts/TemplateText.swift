/// A template's title or body as text and placeholders. `{first_name}` is a placeholder. `{{` and `}}` are braces.
struct TemplateText: Sendable, Equatable {
    private enum Piece: Sendable, Equatable {
        case text(String)
        case placeholder(String)
    }

    private var pieces: [Piece] = []

    /// A placeholder's name: a lower-case letter, then lower-case letters, digits and `_`.
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

    /// The placeholders' names, in order of appearance.
    var names: [String] {
        pieces.compactMap { if case .placeholder(let name) = $0 { name } else { nil } }
    }

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
