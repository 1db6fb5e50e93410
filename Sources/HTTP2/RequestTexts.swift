/// The texts of requests, one after another in one buffer, so that another text allocates nothing.
///
/// A text is written in this order: `begin`, its path, its varying fields, its body. It is written once, by the caller,
/// and read once, by the connection that sends it.
///
///     texts.begin()
///     texts.appendPath("/3/device/…")
///     texts.appendField(0) { $0.append(contentsOf: "1795300000".utf8) }
///     texts.appendBody { notification.render(into: &$0) }
public struct RequestTexts: Sendable {
    /// The place of a text in `bytes`: its path, its varying fields, its body. A field has its index in the template
    /// (one byte), the length of the value (two bytes, big endian) and the value.
    struct Span: Sendable {
        let start: Int
        var pathEnd: Int
        var headEnd: Int
        var end: Int
    }

    private(set) var bytes: [UInt8] = []
    private(set) var spans: [Span] = []

    /// No texts yet.
    public init() {}

    /// How many texts there are.
    public var count: Int { spans.count }

    /// The number of bytes of all texts, with three bytes for each field.
    public var size: Int { bytes.count }

    /// Reserves memory for more texts.
    public mutating func reserve(texts: Int, bytes size: Int) {
        spans.reserveCapacity(spans.count + texts)
        bytes.reserveCapacity(bytes.count + size)
    }

    /// Begins a text.
    public mutating func begin() {
        let start = bytes.count
        spans.append(Span(start: start, pathEnd: start, headEnd: start, end: start))
    }

    /// Removes the last text.
    public mutating func removeLast() {
        guard let last = spans.popLast() else { return }
        bytes.removeLast(bytes.count - last.start)
    }

    /// Appends to the path of the last text.
    public mutating func appendPath(_ part: String) {
        let last = spans.count - 1
        precondition(last >= 0 && spans[last].pathEnd == bytes.count, "the path comes first")
        bytes.append(contentsOf: part.utf8)
        let end = bytes.count
        spans[last].pathEnd = end
        spans[last].headEnd = end
        spans[last].end = end
    }

    /// Sets the template's varying field number `index` (from 0), at most once for each index. A value has at most
    /// 65,535 bytes.
    ///
    /// - Parameter value: Appends the value to its argument and changes nothing else in it.
    public mutating func appendField(_ index: Int, _ value: (inout [UInt8]) -> Void) {
        let last = spans.count - 1
        precondition(last >= 0 && spans[last].headEnd == bytes.count, "fields come after the path and before the body")
        precondition((0..<32).contains(index), "a template has at most 32 varying fields")
        bytes.append(UInt8(index))
        bytes.append(0)
        bytes.append(0)
        let start = bytes.count
        value(&bytes)
        let length = bytes.count - start
        precondition((0...0xFFFF).contains(length), "a header value is limited to 65,535 bytes")
        bytes[start - 2] = UInt8(truncatingIfNeeded: length >> 8)
        bytes[start - 1] = UInt8(truncatingIfNeeded: length)
        let end = bytes.count
        spans[last].headEnd = end
        spans[last].end = end
    }

    /// Appends to the body of the last text.
    ///
    /// - Parameter body: Appends to its argument and changes nothing else in it.
    /// - Returns: The length of the body now.
    @discardableResult
    public mutating func appendBody(_ body: (inout [UInt8]) -> Void) -> Int {
        let last = spans.count - 1
        precondition(last >= 0, "a text must be begun")
        let start = bytes.count
        body(&bytes)
        precondition(bytes.count >= start, "a body can only be appended")
        spans[last].end = bytes.count
        return bytes.count - spans[last].headEnd
    }

    mutating func append(_ request: Request) {
        begin()
        bytes.append(contentsOf: request.head)
        bytes.append(contentsOf: request.body)
        let last = spans.count - 1
        spans[last].pathEnd += request.pathLength
        spans[last].headEnd += request.head.count
        spans[last].end = bytes.count
    }
}
