/// Requests that are handed over together, one after another in one piece of memory: a further request allocates nothing.
///
/// A request is written in this order: `begin`, its path, its varying fields, its body.
///
///     batch.begin(template, tag: 7)
///     batch.appendPath("/3/device/…")
///     batch.appendField(0) { $0.append(contentsOf: "1795300000".utf8) }
///     batch.appendBody { notification.render(into: &$0) }
public struct RequestBatch: Sendable {
    /// Where a request lies in `bytes`: its path, then per varying field its place in the template (one byte), the length
    /// of the value (two bytes, big endian) and the value, then its body.
    struct Entry: Sendable {
        let tag: UInt64
        /// CLOCK_BOOTTIME milliseconds; `UInt64.max`: no limit.
        let writeBy: UInt64
        /// Which of `templates`.
        let template: Int
        let start: Int
        var pathEnd: Int
        var headEnd: Int
        var end: Int
    }

    private(set) var bytes: [UInt8] = []
    private(set) var entries: [Entry] = []
    private(set) var templates: [RequestTemplate] = []

    /// No requests yet.
    public init() {}

    /// These requests.
    public init(_ requests: [Request]) {
        reserve(requests: requests.count, bytes: requests.reduce(0) { $0 + $1.head.count + $1.body.count })
        for request in requests {
            begin(request.template, tag: request.tag, writeBy: request.writeBy)
            bytes.append(contentsOf: request.head)
            let last = entries.count - 1
            entries[last].pathEnd += request.pathLength
            entries[last].headEnd = bytes.count
            bytes.append(contentsOf: request.body)
            entries[last].end = bytes.count
        }
    }

    /// How many requests there are.
    public var count: Int { entries.count }

    /// Makes room beforehand; `bytes` counts paths, values (three more for each) and bodies.
    public mutating func reserve(requests: Int, bytes size: Int) {
        entries.reserveCapacity(entries.count + requests)
        bytes.reserveCapacity(bytes.count + size)
    }

    /// Begins a request; `tag` and `writeBy` are those of `Request`.
    public mutating func begin(_ template: RequestTemplate, tag: UInt64, writeBy: UInt64? = nil) {
        // Nearly all requests of a batch are of one template.
        if templates.last !== template { templates.append(template) }
        let start = bytes.count
        let entry = Entry(
            tag: tag,
            writeBy: writeBy ?? .max,
            template: templates.count - 1,
            start: start,
            pathEnd: start,
            headEnd: start,
            end: start
        )
        entries.append(entry)
    }

    /// Adds to the path of the request that was begun last.
    public mutating func appendPath(_ part: String) {
        let last = entries.count - 1
        precondition(last >= 0 && entries[last].pathEnd == bytes.count, "the path comes first")
        bytes.append(contentsOf: part.utf8)
        entries[last].pathEnd = bytes.count
        entries[last].headEnd = bytes.count
        entries[last].end = bytes.count
    }

    /// Gives varying field number `index` (from 0) of the request that was begun last a value of at most 65,535 bytes, each index at most once.
    ///
    /// - Parameter value: appends the value to what it is given, and changes nothing else of it.
    public mutating func appendField(_ index: Int, _ value: (inout [UInt8]) -> Void) {
        let last = entries.count - 1
        precondition(last >= 0 && entries[last].headEnd == bytes.count, "fields come after the path and before the body")
        precondition(index < templates[entries[last].template].varying.count, "no such varying field in the template")
        bytes.append(UInt8(index))
        bytes.append(0)
        bytes.append(0)
        let start = bytes.count
        value(&bytes)
        let length = bytes.count - start
        precondition((0...0xFFFF).contains(length), "a header value is limited to 65,535 bytes")
        bytes[start - 2] = UInt8(truncatingIfNeeded: length >> 8)
        bytes[start - 1] = UInt8(truncatingIfNeeded: length)
        entries[last].headEnd = bytes.count
        entries[last].end = bytes.count
    }

    /// Adds to the body of the request that was begun last.
    ///
    /// - Parameter body: appends to what it is given, and changes nothing else of it.
    public mutating func appendBody(_ body: (inout [UInt8]) -> Void) {
        let last = entries.count - 1
        precondition(last >= 0, "a request must be begun")
        let start = bytes.count
        body(&bytes)
        precondition(bytes.count >= start, "a body can only be appended")
        entries[last].end = bytes.count
    }
}
