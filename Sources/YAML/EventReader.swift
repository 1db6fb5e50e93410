import CLibYAML

/// libyaml's parser with the bytes that it reads. Only the call of `YAMLDocument.parse` that made it uses it.
final class EventReader {
    /// On the heap, because libyaml keeps pointers into its own structure, so it must not move.
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let input: UnsafeMutableBufferPointer<UInt8>

    enum Event {
        case streamStart, streamEnd, documentStart, documentEnd, sequenceEnd, mappingEnd
        case alias
        case scalar(String, isPlain: Bool)
        case sequenceStart
        case mappingStart
    }

    init(_ bytes: [UInt8]) throws(YAMLError) {
        parser = .allocate(capacity: 1)
        input = .allocate(capacity: bytes.count)
        _ = input.initialize(from: bytes)
        guard yaml_parser_initialize(parser) == 1 else {
            // libyaml zeroes the structure first, so yaml_parser_delete in deinit is safe.
            throw YAMLError(code: .syntax, mark: YAMLMark(line: 1, column: 1), what: "no memory for the parser")
        }
        yaml_parser_set_input_string(parser, input.baseAddress, input.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
        input.deallocate()
    }

    /// The next event and the place where it begins.
    func next() throws(YAMLError) -> (event: Event, mark: YAMLMark) {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw failure() }
        defer { yaml_event_delete(&event) }
        let mark = Self.mark(event.start_mark)
        if Self.isDecorated(event) {
            throw YAMLError(code: .unsupported, mark: mark, what: "anchors (&) and tags (!) are not supported here")
        }
        switch event.type {
        case YAML_STREAM_START_EVENT: return (.streamStart, mark)
        case YAML_DOCUMENT_START_EVENT: return (.documentStart, mark)
        case YAML_DOCUMENT_END_EVENT: return (.documentEnd, mark)
        case YAML_ALIAS_EVENT: return (.alias, mark)
        case YAML_SCALAR_EVENT: return (Self.scalar(event), mark)
        case YAML_SEQUENCE_START_EVENT: return (.sequenceStart, mark)
        case YAML_SEQUENCE_END_EVENT: return (.sequenceEnd, mark)
        case YAML_MAPPING_START_EVENT: return (.mappingStart, mark)
        case YAML_MAPPING_END_EVENT: return (.mappingEnd, mark)
        default: return (.streamEnd, mark)
        }
    }

    private static func scalar(_ event: yaml_event_t) -> Event {
        let scalar = event.data.scalar
        let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
        return .scalar(text, isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE)
    }

    private static func isDecorated(_ event: yaml_event_t) -> Bool {
        switch event.type {
        case YAML_SCALAR_EVENT: event.data.scalar.anchor != nil || event.data.scalar.tag != nil
        case YAML_SEQUENCE_START_EVENT: event.data.sequence_start.anchor != nil || event.data.sequence_start.tag != nil
        case YAML_MAPPING_START_EVENT: event.data.mapping_start.anchor != nil || event.data.mapping_start.tag != nil
        default: false
        }
    }

    /// libyaml's texts are its own constants. They quote nothing of the input.
    private func failure() -> YAMLError {
        let problem = parser.pointee.problem.map { String(cString: $0) } ?? "it can't be read"
        let context = parser.pointee.context.map { String(cString: $0) + ": " } ?? ""
        // libyaml's reader errors (bad UTF-8) have an offset instead of a mark.
        let mark =
            parser.pointee.error == YAML_READER_ERROR
            ? Self.mark(atOffset: parser.pointee.problem_offset, in: input) : Self.mark(parser.pointee.problem_mark)
        return YAMLError(code: .syntax, mark: mark, what: context + problem)
    }

    private static func mark(_ mark: yaml_mark_t) -> YAMLMark {
        YAMLMark(line: mark.line + 1, column: mark.column + 1)
    }

    private static func mark(atOffset offset: Int, in input: UnsafeMutableBufferPointer<UInt8>) -> YAMLMark {
        let before = input.prefix(max(0, min(offset, input.count)))
        let line = before.count { $0 == 10 }
        // Continuation bytes of UTF-8 don't start a character.
        let column = before.reversed().prefix { $0 != 10 }.count { $0 & 0xC0 != 0x80 }
        return YAMLMark(line: line + 1, column: column + 1)
    }
}
