/// Builds a tree from events, within the limits of `YAMLDocument`.
struct TreeBuilder {
    private let reader: EventReader
    private var nodes = 0

    init(reader: EventReader) {
        self.reader = reader
    }

    mutating func document() throws(YAMLError) -> YAMLNode? {
        var root: YAMLNode?
        while true {
            let (event, mark) = try reader.next()
            switch event {
            case .streamStart, .documentEnd: continue
            case .streamEnd: return root
            case .documentStart:
                guard root == nil else {
                    throw YAMLError(
                        code: .secondDocument,
                        mark: mark,
                        what: "a second document begins here; write one only"
                    )
                }
                let (first, place) = try reader.next()
                root = try node(first, place, depth: 0)
            default:
                throw YAMLError(code: .syntax, mark: mark, what: "there is something outside of the document")
            }
        }
    }

    private mutating func node(_ event: EventReader.Event, _ mark: YAMLMark, depth: Int) throws(YAMLError) -> YAMLNode {
        nodes += 1
        guard depth <= YAMLDocument.maximumDepth, nodes <= YAMLDocument.maximumNodes else {
            throw YAMLError(code: .tooLarge, mark: mark, what: "the document is nested too deep or has too many values")
        }
        switch event {
        case .scalar(let text, let isPlain): return YAMLNode(value: .scalar(text, isPlain: isPlain), mark: mark)
        case .sequenceStart: return YAMLNode(value: .sequence(try items(depth)), mark: mark)
        case .mappingStart: return YAMLNode(value: .mapping(try entries(depth)), mark: mark)
        case .alias: throw YAMLError(code: .unsupported, mark: mark, what: "aliases (*) are not supported here")
        default: throw YAMLError(code: .syntax, mark: mark, what: "a value is missing here")
        }
    }

    private mutating func items(_ depth: Int) throws(YAMLError) -> [YAMLNode] {
        var items: [YAMLNode] = []
        while true {
            let (event, mark) = try reader.next()
            if case .sequenceEnd = event { return items }
            items.append(try node(event, mark, depth: depth + 1))
        }
    }

    private mutating func entries(_ depth: Int) throws(YAMLError) -> [YAMLNode.Entry] {
        var entries: [YAMLNode.Entry] = []
        var lines: [String: Int] = [:]
        while true {
            let (event, mark) = try reader.next()
            if case .mappingEnd = event { return entries }
            guard case .scalar(let key, _) = event else {
                throw YAMLError(code: .syntax, mark: mark, what: "a key must be a single word")
            }
            if let line = lines[key] {
                throw YAMLError(code: .duplicateKey, mark: mark, what: "this key is already in line \(line)")
            }
            lines[key] = mark.line
            let (value, place) = try reader.next()
            entries.append(YAMLNode.Entry(key: key, mark: mark, value: try node(value, place, depth: depth + 1)))
        }
    }
}
