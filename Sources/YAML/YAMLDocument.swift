import CLibYAML

/// Reads YAML by libyaml's events into a tree with places.
public enum YAMLDocument {
    /// The largest text, in bytes.
    public static let maximumSize = 1 << 20
    /// How deep mappings and sequences may nest.
    public static let maximumDepth = 32
    /// How many nodes a document may have.
    public static let maximumNodes = 20_000

    /// The root of the one document; nil where there is none (an empty text, or comments only).
    ///
    /// - Throws: at the first fault; anchors, aliases, tags, duplicate keys and a second document are faults.
    public static func parse(_ text: String) throws(YAMLError) -> YAMLNode? {
        try parse(Array(text.utf8))
    }

    /// The same for bytes, UTF-8 or UTF-16 with a byte order mark.
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
