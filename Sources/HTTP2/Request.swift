/// One request of a template: what differs from the others, packed into one allocation, and its body.
public struct Request: Sendable {
    /// The fields that all requests of this kind have, and the names of the varying ones.
    public let template: RequestTemplate
    /// The caller's own number for it; comes back in its `Completion`.
    public var tag: UInt64
    /// The body; shared between requests where they have the same.
    public var body: [UInt8]
    /// CLOCK_BOOTTIME milliseconds from which on it is not written any more (`.unsent(.tooLate)`); nil: no limit.
    ///
    /// It is asked just before its frames are made. Frames that are made are past recall (HPACK's table counts on them),
    /// so up to 32 KiB of them may leave later where the socket is full at that very moment.
    public var writeBy: UInt64?
    /// The path, then per varying field: its place in the template (one byte), the length of the value (two bytes, big endian), the value.
    var head: [UInt8]
    let pathLength: Int

    /// A request for `path` (the bytes of `:path`, at most 8,192 with the varying fields).
    public init(template: RequestTemplate, tag: UInt64, path: [UInt8], body: [UInt8] = [], writeBy: UInt64? = nil) {
        self.template = template
        self.tag = tag
        self.body = body
        self.writeBy = writeBy
        pathLength = path.count
        head = []
        head.reserveCapacity(path.count + 96)
        head.append(contentsOf: path)
    }

    /// A request for `path`, such as `/3/device/…`.
    public init(template: RequestTemplate, tag: UInt64, path: String, body: [UInt8] = [], writeBy: UInt64? = nil) {
        self.template = template
        self.tag = tag
        self.body = body
        self.writeBy = writeBy
        let path = path.utf8
        pathLength = path.count
        head = []
        head.reserveCapacity(path.count + 96)
        head.append(contentsOf: path)
    }

    /// Gives the template's varying field number `index` (from 0) a value of at most 65,535 bytes; each index at most once.
    public mutating func append(_ index: Int, _ value: [UInt8]) {
        appendLength(index, value.count)
        head.append(contentsOf: value)
    }

    /// Gives the template's varying field number `index` (from 0) a value of at most 65,535 bytes; each index at most once.
    public mutating func append(_ index: Int, _ value: String) {
        appendLength(index, value.utf8.count)
        head.append(contentsOf: value.utf8)
    }

    private mutating func appendLength(_ index: Int, _ length: Int) {
        precondition(template.varying.indices.contains(index), "no such varying field in the template")
        precondition(length <= 0xFFFF, "a header value is limited to 65,535 bytes")
        head.append(UInt8(index))
        head.append(UInt8(truncatingIfNeeded: length >> 8))
        head.append(UInt8(truncatingIfNeeded: length))
    }
}
