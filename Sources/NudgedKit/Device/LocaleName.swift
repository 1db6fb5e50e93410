/// A user's language, as nudged's texts are chosen by it (docs/TABLES.md, "Check-in texts").
public enum LocaleName {
    /// A language tag from an identifier of the system's: `de_AT@calendar=gregorian` gives `de-AT`.
    ///
    /// - Returns: nil if the text is no language of 2 to 8 letters with further parts of 1 to 8 letters and digits, or
    ///   if it is longer than 64 bytes.
    public static func tag(_ identifier: String) -> String? {
        let bytes = identifier.utf8.prefix { $0 != UInt8(ascii: "@") && $0 != UInt8(ascii: ".") }
            .map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }
        let parts = bytes.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard bytes.count <= 64, (2...8).contains(parts[0].count), parts[0].allSatisfy(isLetter) else { return nil }
        for part in parts.dropFirst() {
            guard (1...8).contains(part.count), part.allSatisfy({ isLetter($0) || isDigit($0) }) else { return nil }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
