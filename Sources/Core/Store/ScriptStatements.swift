/// Splits a migration into its statements. Citus carries a trigger to other machines with the text that it was sent in,
/// so each statement is sent alone.
///
/// Knows the lexical rules of PostgreSQL that the scripts use (manual, 4.1): line comments, quoted strings and names,
/// dollar quotes.
struct ScriptStatements {
    private let bytes: [UInt8]
    private var place = 0

    /// Splits at each semicolon outside quotes. Pieces without a statement are left out.
    static func of(_ script: String) -> [String] {
        var scanner = ScriptStatements(bytes: Array(script.utf8))
        var statements: [String] = []
        while let statement = scanner.next() { statements.append(statement) }
        return statements
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func next() -> String? {
        let start = place
        var hasText = false
        while place < bytes.count {
            let byte = bytes[place]
            switch byte {
            case UInt8(ascii: ";"):
                place += 1
                if hasText { return String(decoding: bytes[start..<place], as: UTF8.self) }
                return next()
            case UInt8(ascii: "'"), UInt8(ascii: "\""): skip(to: [byte])
            case UInt8(ascii: "-") where place + 1 < bytes.count && bytes[place + 1] == byte:
                skip(to: [UInt8(ascii: "\n")])
                continue
            case UInt8(ascii: "$"): if let tag = dollarTag() { skip(to: tag) } else { place += 1 }
            default: place += 1
            }
            if !" \n\r\t".utf8.contains(byte) { hasText = true }
        }
        return hasText ? String(decoding: bytes[start...], as: UTF8.self) : nil
    }

    /// Skips from this mark to the next one like it. (A doubled quotation mark ends one string and begins the next.)
    private mutating func skip(to mark: [UInt8]) {
        place += mark.count
        while place < bytes.count, !bytes[place...].starts(with: mark) { place += 1 }
        place = min(bytes.count, place + mark.count)
    }

    /// The `$$` or `$tag$` that begins here; nil: a parameter, or part of a name.
    private func dollarTag() -> [UInt8]? {
        let rest = bytes[(place + 1)...]
        guard let end = rest.firstIndex(of: UInt8(ascii: "$")) else { return nil }
        let tag = bytes[(place + 1)..<end]
        let isTag = tag.allSatisfy { $0 == UInt8(ascii: "_") || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) }
        return isTag ? Array(bytes[place...end]) : nil
    }
}
