import Glibc

/// Frames on their way into TLS, with the positions that they have reached.
///
/// Positions count plain bytes from the connection's start. A frame is on the wire when `offered` has reached its end.
package struct OutputBuffer: ~Copyable {
    /// The plain bytes of one TLS record (RFC 8446 section 5.1). This many are collected before a write.
    package static let record = 16_384
    /// Enough for a record and one more frame of the largest size that nghttp2 sends.
    private static let capacity = 4 * record

    private let memory: UnsafeMutableRawPointer
    private var start = 0
    private var end = 0
    /// The position after the last appended byte.
    private(set) var produced: UInt64 = 0
    /// The position after the last byte that TLS was offered. Bytes before it may be on the wire.
    private(set) var offered: UInt64 = 0

    package init() { memory = .allocate(byteCount: Self.capacity, alignment: 16) }

    deinit { memory.deallocate() }

    package var isEmpty: Bool { start == end }

    package var isFull: Bool { end - start >= Self.record }

    /// Appends a frame. Returns false if it doesn't fit, which only an oversized frame can cause.
    package mutating func append(_ frame: UnsafeRawPointer, _ count: Int) -> Bool {
        if end + count > Self.capacity {
            memmove(memory, memory + start, end - start)
            (start, end) = (0, end - start)
        }
        guard end + count <= Self.capacity else { return false }
        memcpy(memory + end, frame, count)
        end += count
        produced += UInt64(count)
        return true
    }

    /// The next bytes for TLS, at most one record. They count as offered.
    package mutating func offer() -> UnsafeRawBufferPointer {
        let count = min(end - start, Self.record)
        offered = max(offered, produced - UInt64(end - start) + UInt64(count))
        return UnsafeRawBufferPointer(start: memory + start, count: count)
    }

    package mutating func accept(_ count: Int) {
        start += count
        if isEmpty { (start, end) = (0, 0) }
    }
}
