import CLibYAML

/// Reads YAML with libyaml into a tree whose nodes know their places.
public enum YAMLDocument {
    /// The largest text, in bytes. libyaml compares each %TAG directive with all before it: a megabyte of them takes
    /// twelve seconds, and this many bytes take a fifth of one.
    public static let maximumSize = 1 << 17
    /// The deepest nesting of mappings and sequences.
    public static let maximumDepth = 32
    /// The most nodes of a document.
    public static let maximumNodes = 20_000

    /// The root of the document. Nil if there is none (an empty text, or only comments).
    ///
    /// - Throws: The first fault. Anchors, aliases, tags, duplicate keys and a second document are faults.
    public static func parse(_ text: String) throws(YAMLError) -> YAMLNode? {
        try parse(Array(text.utf8))
    }

    /// The same for bytes in UTF-8, or in UTF-16 with a byte order mark.
    public static func parse(_ bytes: [UInt8]) throws(YAMLError) -> YAMLNode? {
        guard bytes.count <= maximumSize else {
            throw YAMLError(
                code: .tooLarge,
                mark: YAMLMark(line: 1, column: 1),
                what: "the text is larger than \(maximumSize) bytes"
            )
        }
        let reader = try EventReader(bytes)
        var builder = TreeBuilder(reader: reader)
        return try builder.document()
    }
}
