import CNGHTTP2

/// Requests in one buffer of bytes, so that another one allocates nothing. A request's slot is its place in the batch.
/// A request is written in this order: `begin`, its path, its varying fields, its body.
package struct RequestBatch: Sendable {
    /// The places of a request's parts in `bytes`. A varying field is its index in the template (one byte), the length
    /// of its value (two bytes, big endian) and the value.
    struct Slot: Sendable {
        let start: Int
        var pathEnd: Int
        var headEnd: Int
        var end: Int
        let writeBy: UInt64
    }

    private(set) var bytes: [UInt8] = []
    private(set) var slots: [Slot] = []

    package init() {}

    package mutating func reserve(requests: Int, bytes size: Int) {
        slots.reserveCapacity(slots.count + requests)
        bytes.reserveCapacity(bytes.count + size)
    }

    package var count: Int { slots.count }

    package func writeBy(_ slot: Int) -> UInt64 { slots[slot].writeBy }

    /// Begins a request. `writeBy`: The request is not written from this instant on (milliseconds of CLOCK_BOOTTIME).
    /// It is checked just before the request's frames are made. Finished frames can't be withdrawn, because HPACK's
    /// table depends on them. So up to 32 KiB may leave later if the socket is full at that moment.
    package mutating func begin(writeBy: UInt64 = .max) {
        let start = bytes.count
        slots.append(Slot(start: start, pathEnd: start, headEnd: start, end: start, writeBy: writeBy))
    }

    /// Removes the text of the last request. It keeps its slot, and can't be sent.
    package mutating func emptyLast() {
        guard let last = slots.popLast() else { return }
        bytes.removeLast(bytes.count - last.start)
        begin(writeBy: last.writeBy)
    }

    /// Appends to the path of the last request. Path and varying fields together have at most 8,192 bytes.
    package mutating func appendPath(_ part: String) {
        let last = slots.count - 1
        precondition(last >= 0 && slots[last].pathEnd == bytes.count, "the path comes first")
        bytes.append(contentsOf: part.utf8)
        slots[last].pathEnd = bytes.count
        slots[last].headEnd = bytes.count
        slots[last].end = bytes.count
    }

    /// Sets the template's varying field number `index` (from 0), at most once for each index. A value has at most
    /// 65,535 bytes. `value` appends it to its argument and changes nothing else there.
    package mutating func appendField(_ index: Int, _ value: (inout [UInt8]) -> Void) {
        let last = slots.count - 1
        precondition(last >= 0 && slots[last].headEnd == bytes.count, "fields come after the path and before the body")
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
        slots[last].headEnd = bytes.count
        slots[last].end = bytes.count
    }

    /// Appends to the body of the last request. `body` appends to its argument and changes nothing else in it.
    /// - Returns: The length of the body now.
    @discardableResult
    package mutating func appendBody(_ body: (inout [UInt8]) -> Void) -> Int {
        let last = slots.count - 1
        precondition(last >= 0, "a request must be begun")
        let start = bytes.count
        body(&bytes)
        precondition(bytes.count >= start, "a body can only be appended")
        slots[last].end = bytes.count
        return bytes.count - slots[last].headEnd
    }
}

/// A batch with the template of some of its requests. A stream keeps all memory of its request with one reference.
final class Submission: Sendable {
    let batch: RequestBatch
    let template: RequestTemplate
    private let firstTag: UInt64

    /// - Parameter firstTag: the tag of slot 0.
    init(_ batch: RequestBatch, _ template: RequestTemplate, firstTag: UInt64) {
        (self.batch, self.template, self.firstTag) = (batch, template, firstTag)
    }

    func tag(_ slot: Int) -> UInt64 { firstTag &+ UInt64(slot) }
}

/// Requests that wait for a free stream, in order of submission.
struct RequestQueue {
    private var runs: [(submission: Submission, slots: Range<Int>)] = []
    /// At most the earliest `writeBy` in the queue. Can be too early.
    private(set) var earliestWriteBy = UInt64.max

    var isEmpty: Bool { runs.isEmpty }

    mutating func append(_ submission: Submission, _ slots: Range<Int>) {
        guard !slots.isEmpty else { return }
        runs.append((submission, slots))
        for slot in slots { earliestWriteBy = min(earliestWriteBy, submission.batch.slots[slot].writeBy) }
    }

    mutating func popFirst() -> (submission: Submission, slot: Int)? {
        guard let (submission, slots) = runs.first else { return nil }
        if slots.count > 1 { runs[0].slots = slots.dropFirst() } else { runs.removeFirst() }
        if runs.isEmpty { earliestWriteBy = .max }
        return (submission, slots.lowerBound)
    }

    mutating func removeAll() -> [UInt64] {
        exchange(&self, with: RequestQueue()).runs.flatMap { run in run.slots.map(run.submission.tag) }
    }

    /// Removes the requests whose `writeBy` has passed, and returns their tags.
    mutating func removeLate(boottime: UInt64) -> [UInt64] {
        guard earliestWriteBy <= boottime else { return [] }
        var late: [UInt64] = []
        for (submission, slots) in exchange(&self, with: RequestQueue()).runs {
            for slot in slots {
                if submission.batch.slots[slot].writeBy <= boottime {
                    late.append(submission.tag(slot))
                } else {
                    append(submission, slot..<slot + 1)
                }
            }
        }
        return late
    }
}

/// What many requests have in common. It is made once in nghttp2's format, so each request copies only what differs.
package final class RequestTemplate: Sendable {
    /// The number of fixed fields, with the four pseudo-header fields.
    let fixedCount: Int
    /// `:method`, `:scheme`, `:authority`, `:path`, the fixed fields, the varying ones. What varies has no value.
    ///
    /// nonisolated(unsafe): only init writes it and only deinit frees it. The memory never changes in between.
    nonisolated(unsafe) let fields: UnsafeMutableBufferPointer<nghttp2_nv>

    static let pathIndex = 3

    /// A header field whose value differs between the requests of a template: its name in lower case, and whether HPACK
    /// must not add the value to its table (RFC 7541 section 6.2.3), where new ids would evict a bearer token.
    package typealias VaryingField = (name: String, isNeverIndexed: Bool)

    /// `authority`: host, or host and port. `fixed`: at most 64 fields and 8 KiB; HPACK's table keeps them. `varying`:
    /// at most 32 that a request may set. One without a value is not sent.
    package init(authority: String, fields fixed: [(name: String, value: String)], varying: [VaryingField] = []) {
        precondition(varying.count <= 32, "at most 32 varying fields")
        let size = fixed.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        precondition(fixed.count <= 64 && size <= 8_192, "at most 64 fixed fields of 8 KiB together")
        let noCopyName = UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue)
        let noCopy = noCopyName | UInt8(NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue)
        let never = noCopyName | UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue)
        var all: [(name: String, value: String, flags: UInt8)] = [
            (":method", "POST", noCopy), (":scheme", "https", noCopy), (":authority", authority, noCopy),
            (":path", "", noCopyName),
        ]
        all += fixed.map { ($0.name, $0.value, noCopy) }
        fixedCount = all.count
        all += varying.map { ($0.name, "", $0.isNeverIndexed ? never : noCopyName) }
        fields = .allocate(capacity: all.count)
        for (index, field) in all.enumerated() {
            let (name, value) = (Self.copy(field.name), Self.copy(field.value))
            let (length, size) = (field.name.utf8.count, field.value.utf8.count)
            let entry = nghttp2_nv(name: name, value: value, namelen: length, valuelen: size, flags: field.flags)
            fields.initializeElement(at: index, to: entry)
        }
    }

    deinit {
        for field in fields {
            field.name.deallocate()
            field.value.deallocate()
        }
        fields.deallocate()
    }

    private static func copy(_ text: String) -> UnsafeMutablePointer<UInt8> {
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: text.utf8.count)
        for (index, byte) in text.utf8.enumerated() { (bytes + index).initialize(to: byte) }
        return bytes
    }
}
