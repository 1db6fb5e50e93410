import CLibYAML

/// Reads YAML with libyaml into a tree whose nodes know their places.
package enum YAMLDocument {
    /// The largest text, in bytes. libyaml compares each %TAG directive with all before it: a megabyte of them takes
    /// twelve seconds, and this many bytes take a fifth of one.
    package static let maximumSize = 1 << 17
    package static let maximumDepth = 32
    package static let maximumNodes = 20_000

    /// The root of the document. Nil if there is none. `bytes`: UTF-8, or UTF-16 with a byte order mark.
    /// - Throws: The first fault. Anchors, aliases, tags, duplicate keys and a second document are faults: none is needed
    ///   here, and aliases can make a small text huge.
    package static func parse(_ bytes: [UInt8]) throws(YAMLError) -> YAMLNode? {
        let start = YAMLMark(line: 1, column: 1)
        guard bytes.count <= maximumSize else { throw YAMLError(start, "the text is larger than \(maximumSize) bytes") }
        guard let parser = YAMLParser(bytes) else { throw YAMLError(start, "no memory for the parser") }
        return try parser.document()
    }
}

/// libyaml's parser with the bytes that it reads. It builds the tree from libyaml's events.
private final class YAMLParser {
    /// On the heap, because libyaml keeps pointers into its own structure, so it must not move.
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let input: UnsafeMutableBufferPointer<UInt8>
    private var nodes = 0

    private struct Event {
        let type: yaml_event_type_t
        let mark: YAMLMark
        // Of a scalar.
        var text = ""
        var isPlain = false
    }

    init?(_ bytes: [UInt8]) {
        parser = .allocate(capacity: 1)
        input = .allocate(capacity: bytes.count)
        _ = input.initialize(from: bytes)
        // libyaml zeroes the structure first, so yaml_parser_delete in deinit is safe.
        guard yaml_parser_initialize(parser) == 1 else { return nil }
        yaml_parser_set_input_string(parser, input.baseAddress, input.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
        input.deallocate()
    }

    // MARK: The tree

    func document() throws(YAMLError) -> YAMLNode? {
        var root: YAMLNode?
        while true {
            let event = try next()
            switch event.type {
            case YAML_STREAM_START_EVENT, YAML_DOCUMENT_END_EVENT: continue
            case YAML_STREAM_END_EVENT, YAML_NO_EVENT: return root
            case YAML_DOCUMENT_START_EVENT:
                guard root == nil else { throw YAMLError(event.mark, "a second document begins here; write one only") }
                root = try node(try next(), depth: 0)
            default: throw YAMLError(event.mark, "there is something outside of the document")
            }
        }
    }

    private func node(_ begin: Event, depth: Int) throws(YAMLError) -> YAMLNode {
        let mark = begin.mark
        nodes += 1
        guard depth <= YAMLDocument.maximumDepth, nodes <= YAMLDocument.maximumNodes
        else { throw YAMLError(mark, "the document is nested too deep or has too many values") }
        switch begin.type {
        case YAML_SCALAR_EVENT: return YAMLNode(value: .scalar(begin.text, isPlain: begin.isPlain), mark: mark)
        case YAML_SEQUENCE_START_EVENT:
            var items: [YAMLNode] = []
            while let item = try next(until: YAML_SEQUENCE_END_EVENT) { items.append(try node(item, depth: depth + 1)) }
            return YAMLNode(value: .sequence(items), mark: mark)
        case YAML_MAPPING_START_EVENT: return YAMLNode(value: .mapping(try entries(depth)), mark: mark)
        case YAML_ALIAS_EVENT: throw YAMLError(mark, "aliases (*) are not supported here")
        default: throw YAMLError(mark, "a value is missing here")
        }
    }

    private func entries(_ depth: Int) throws(YAMLError) -> [YAMLNode.Entry] {
        var entries: [YAMLNode.Entry] = []
        var lines: [String: Int] = [:]
        while let key = try next(until: YAML_MAPPING_END_EVENT) {
            guard key.type == YAML_SCALAR_EVENT else { throw YAMLError(key.mark, "a key must be a single word") }
            if let line = lines.updateValue(key.mark.line, forKey: key.text) {
                throw YAMLError(key.mark, "this key is already in line \(line)")
            }
            let value = try node(try next(), depth: depth + 1)
            entries.append(YAMLNode.Entry(key: key.text, mark: key.mark, value: value))
        }
        return entries
    }

    // MARK: libyaml's events

    private func next(until end: yaml_event_type_t) throws(YAMLError) -> Event? {
        let event = try next()
        return event.type == end ? nil : event
    }

    private func next() throws(YAMLError) -> Event {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw failure() }
        defer { yaml_event_delete(&event) }
        var found = Event(type: event.type, mark: Self.mark(event.start_mark))
        var isDecorated = false
        switch event.type {
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            isDecorated = scalar.anchor != nil || scalar.tag != nil
            found.text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
            found.isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
        case YAML_SEQUENCE_START_EVENT:
            isDecorated = event.data.sequence_start.anchor != nil || event.data.sequence_start.tag != nil
        case YAML_MAPPING_START_EVENT:
            isDecorated = event.data.mapping_start.anchor != nil || event.data.mapping_start.tag != nil
        default: break
        }
        if isDecorated { throw YAMLError(found.mark, "anchors (&) and tags (!) are not supported here") }
        return found
    }

    /// libyaml's texts are its own constants. They quote nothing of the input.
    private func failure() -> YAMLError {
        let problem = parser.pointee.problem.map { String(cString: $0) } ?? "it can't be read"
        let context = parser.pointee.context.map { String(cString: $0) + ": " } ?? ""
        // libyaml's reader errors (bad UTF-8) have an offset instead of a mark.
        let isReaders = parser.pointee.error == YAML_READER_ERROR
        let mark = isReaders ? mark(atOffset: parser.pointee.problem_offset) : Self.mark(parser.pointee.problem_mark)
        return YAMLError(mark, context + problem)
    }

    private static func mark(_ mark: yaml_mark_t) -> YAMLMark { YAMLMark(line: mark.line + 1, column: mark.column + 1) }

    private func mark(atOffset offset: Int) -> YAMLMark {
        let before = input.prefix(max(0, min(offset, input.count)))
        // Continuation bytes of UTF-8 don't start a character.
        let column = before.reversed().prefix { $0 != 10 }.count { $0 & 0xC0 != 0x80 }
        return YAMLMark(line: before.count { $0 == 10 } + 1, column: column + 1)
    }
}

package struct YAMLNode: Sendable, Equatable {
    /// Scalars stay text, because their type depends on the reader: `10:00` and `no` are kept as written.
    package indirect enum Value: Sendable, Equatable {
        /// `isPlain`: without quotes and not a block.
        case scalar(String, isPlain: Bool)
        case sequence([YAMLNode])
        /// Keys in the order of the text. No key occurs twice.
        case mapping([Entry])
    }

    package struct Entry: Sendable, Equatable {
        package let key: String
        package let mark: YAMLMark
        package let value: YAMLNode
    }

    package let value: Value
    package let mark: YAMLMark

    package var isNull: Bool {
        guard case .scalar(let text, isPlain: true) = value else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    package var kindName: String {
        switch value {
        case .scalar: isNull ? "null" : "a single value"
        case .sequence: "a list"
        case .mapping: "a section"
        }
    }
}

/// A place in a text: line and column, from 1. The column counts characters.
package struct YAMLMark: Sendable, Hashable {
    package let line: Int
    package let column: Int
}

/// Why a text is not accepted as YAML, and where. It quotes nothing of the text.
package struct YAMLError: Error, Sendable, Equatable, CustomStringConvertible {
    package let mark: YAMLMark
    package let what: String

    init(_ mark: YAMLMark, _ what: String) { (self.mark, self.what) = (mark, what) }

    package var description: String { "\(mark.line):\(mark.column): \(what)" }
}
