/// The bytes are not a TZif file (RFC 9636).
struct MalformedZone: Error {}

/// The transitions and the footer of a TZif file, already checked.
struct TZifFile {
    /// Instants at which the offset may change, strictly ascending.
    private(set) var transitions: [Int64] = []
    /// The offsets in seconds east of UTC, each from the transition of the same index on.
    private(set) var offsets: [Int32] = []
    /// The offset before the first transition: local time type 0 (section 3.2).
    private(set) var initialOffset: Int32 = 0
    /// The rule for instants after the last transition. Nil if the footer is empty, or missing (version 1).
    private(set) var rule: PosixRule?

    /// The allowed offsets in seconds east of UTC (section 3.2, "utoff": more than -25 h and less than +26 h).
    private static let allowedOffsets: ClosedRange<Int32> = -89_999...93_599
    /// Transitions further away are moved to this limit, so that arithmetic with them can't overflow.
    private static let reach: Int64 = 1 << 59

    /// UTC.
    init() {}

    init(parsing bytes: [UInt8]) throws(MalformedZone) {
        var reader = ByteReader(bytes)
        let first = try Header(&reader)
        guard first.version > 0 else {
            // Version 1 has 32-bit times and no footer.
            try read(first, timeSize: 4, &reader)
            return
        }
        try reader.skip(first.blockSize(timeSize: 4))
        try read(try Header(&reader), timeSize: 8, &reader)
        rule = try Self.footer(&reader)
    }

    private mutating func read(_ header: Header, timeSize: Int, _ reader: inout ByteReader) throws(MalformedZone) {
        let end = reader.position + header.blockSize(timeSize: timeSize)
        // A file with leap seconds (the `right` tree) counts seconds differently from the daemon's clock.
        guard end <= reader.count, header.types > 0, header.leaps == 0 else { throw MalformedZone() }
        var times: [Int64] = []
        times.reserveCapacity(header.times)
        for _ in 0..<header.times {
            let time = min(max(try reader.signed(timeSize), -Self.reach), Self.reach)
            guard times.last.map({ $0 < time }) ?? true else { throw MalformedZone() }
            times.append(time)
        }
        let indexes = try reader.take(header.times)
        var types: [Int32] = []
        for _ in 0..<header.types {
            let offset = Int32(truncatingIfNeeded: try reader.signed(4))
            guard Self.allowedOffsets.contains(offset) else { throw MalformedZone() }
            types.append(offset)
            try reader.skip(2)
        }
        guard indexes.allSatisfy({ Int($0) < types.count }) else { throw MalformedZone() }
        transitions = times
        offsets = indexes.map { types[Int($0)] }
        initialOffset = types[0]
        try reader.skip(end - reader.position)
    }

    /// A TZ string between two newlines (section 3.3).
    private static func footer(_ reader: inout ByteReader) throws(MalformedZone) -> PosixRule? {
        guard try reader.take(1).first == UInt8(ascii: "\n") else { throw MalformedZone() }
        let rest = try reader.take(reader.count - reader.position)
        guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { throw MalformedZone() }
        let text = rest[..<end]
        return text.isEmpty ? nil : try PosixRule(parsing: text)
    }
}

extension TZifFile {
    /// The 44 bytes before a data block (section 3.1).
    private struct Header {
        let version: UInt8
        let leaps: Int
        let times: Int
        let types: Int
        /// The bytes of the indicators and of the zones' abbreviations.
        private let rest: Int

        init(_ reader: inout ByteReader) throws(MalformedZone) {
            guard try reader.take(4).elementsEqual("TZif".utf8) else { throw MalformedZone() }
            version = try reader.take(1).first ?? 0
            try reader.skip(15)
            let indicators = try reader.count32() + reader.count32()
            leaps = try reader.count32()
            times = try reader.count32()
            types = try reader.count32()
            rest = try indicators + reader.count32()
        }

        /// The bytes of the block. Six counts below 2^32 can't overflow.
        func blockSize(timeSize: Int) -> Int { times * (timeSize + 1) + types * 6 + leaps * (timeSize + 4) + rest }
    }
}

/// Reads big-endian integers from a byte array, with a check at every step.
struct ByteReader {
    private let bytes: [UInt8]
    private(set) var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var count: Int { bytes.count }

    mutating func take(_ length: Int) throws(MalformedZone) -> ArraySlice<UInt8> {
        guard length >= 0, length <= bytes.count - position else { throw MalformedZone() }
        defer { position += length }
        return bytes[position..<position + length]
    }

    mutating func skip(_ length: Int) throws(MalformedZone) { _ = try take(length) }

    /// A signed integer of 4 or 8 bytes.
    mutating func signed(_ size: Int) throws(MalformedZone) -> Int64 {
        let value = try take(size).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return size == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
    }

    /// An unsigned integer of 4 bytes.
    mutating func count32() throws(MalformedZone) -> Int { Int(UInt32(truncatingIfNeeded: try signed(4))) }
}
