import Glibc

/// Frames on their way into TLS, with the positions that say how far each has come.
///
/// Positions count the connection's plain bytes from its start: a frame that ends at `produced` has left us no sooner than `offered` reaches it.
package struct OutputBuffer: ~Copyable {
    /// One TLS record's plain bytes (RFC 8446 section 5.1): so many are gathered before they are written.
    package static let record = 16_384
    /// A record, and one more frame of the largest size nghttp2 sends.
    private static let capacity = 4 * record

    private let memory: UnsafeMutableRawPointer
    private var start = 0
    private var end = 0
    /// The position after the last byte that was put in.
    private(set) var produced: UInt64 = 0
    /// The position after the last byte that TLS was offered: from there back, parts may be on the wire.
    private(set) var offered: UInt64 = 0

    package init() { memory = .allocate(byteCount: Self.capacity, alignment: 16) }

    deinit { memory.deallocate() }

    package var isEmpty: Bool { start == end }

    /// Whether a record is full.
    package var isFull: Bool { end - start >= Self.record }

    /// Puts a frame in; false where it doesn't fit, which only a frame over the protocol's size can do.
    package mutating func append(_ frame: UnsafeRawPointer, _ count: Int) -> Bool {
        if end + count > Self.capacity {
            memmove(memory, memory + start, end - start)
            end -= start
            start = 0
        }
        guard end + count <= Self.capacity else { return false }
        memcpy(memory + end, frame, count)
        end += count
        produced += UInt64(count)
        return true
    }

    /// The next bytes for TLS, at most a record's; they count as offered.
    package mutating func offer() -> UnsafeRawBufferPointer {
        let count = min(end - start, Self.record)
        offered = max(offered, produced - UInt64(end - start) + UInt64(count))
        return UnsafeRawBufferPointer(start: memory + start, count: count)
    }

    /// TLS took so many of them.
    package mutating func accept(_ count: Int) {
        start += count
        if start == end {
            start = 0
            end = 0
        }
    }
}
