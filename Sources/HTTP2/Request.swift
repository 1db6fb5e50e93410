/// One request of a template: the parts that differ from other requests, in one allocation, and its body.
public struct Request: Sendable {
    /// The fields that all requests of this kind have, and the names of the varying fields.
    public let template: RequestTemplate
    /// The caller's own number. It comes back in the `Completion`.
    public var tag: UInt64
    /// The body. Requests with the same body can share it.
    public var body: [UInt8]
    /// The request is not written from this instant on (milliseconds of CLOCK_BOOTTIME). Nil: no limit.
    ///
    /// It is checked just before the request's frames are made. Finished frames can't be withdrawn, because HPACK's
    /// table depends on them. So up to 32 KiB may leave later if the socket is full at that moment.
    public var writeBy: UInt64?
    /// The path, then the varying fields. Each has its index in the template (one byte), the length of the value (two
    /// bytes, big endian) and the value.
    var head: [UInt8]
    let pathLength: Int

    /// A request for `path` (the bytes of `:path`). Path and varying fields together have at most 8,192 bytes.
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

    /// Sets the template's varying field number `index` (from 0), at most once for each index. A value has at most
    /// 65,535 bytes.
    public mutating func append(_ index: Int, _ value: [UInt8]) {
        appendLength(index, value.count)
        head.append(contentsOf: value)
    }

    /// Sets the template's varying field number `index` (from 0), at most once for each index. A value has at most
    /// 65,535 bytes.
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
