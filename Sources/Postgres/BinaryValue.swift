import FoundationEssentials

/// Values in PostgreSQL's binary format (network byte order). Each function returns nil if the type or width doesn't
/// fit.
enum BinaryValue {
    typealias Bytes = UnsafeRawBufferPointer

    static func integer<T: FixedWidthInteger>(_ bytes: Bytes, as: T.Type = T.self) -> T? {
        guard bytes.count == MemoryLayout<T>.size else { return nil }
        return T(bigEndian: bytes.loadUnaligned(as: T.self))
    }

    /// Only widens: an int2 can be read as int8, but not an int8 as int2.
    static func int8(_ type: PostgresType?, _ bytes: Bytes) -> Int64? {
        switch type {
        case .int8: integer(bytes)
        case .int4: integer(bytes, as: Int32.self).map(Int64.init)
        case .int2: integer(bytes, as: Int16.self).map(Int64.init)
        default: nil
        }
    }

    static func int4(_ type: PostgresType?, _ bytes: Bytes) -> Int32? {
        switch type {
        case .int4: integer(bytes)
        case .int2: integer(bytes, as: Int16.self).map(Int32.init)
        default: nil
        }
    }

    static func int2(_ type: PostgresType?, _ bytes: Bytes) -> Int16? {
        type == .int2 ? integer(bytes) : nil
    }

    static func double(_ type: PostgresType?, _ bytes: Bytes) -> Double? {
        switch type {
        case .float8: integer(bytes).map { Double(bitPattern: $0) }
        case .float4: integer(bytes).map { Double(Float(bitPattern: $0)) }
        default: nil
        }
    }

    static func bool(_ type: PostgresType?, _ bytes: Bytes) -> Bool? {
        guard type == .bool, bytes.count == 1 else { return nil }
        return bytes[0] != 0
    }

    /// Invalid UTF-8 (possible only in a database with SQL_ASCII) becomes U+FFFD, because one bad row must not stop a
    /// batch.
    static func text(_ type: PostgresType?, _ bytes: Bytes) -> String? {
        switch type {
        case .text, .varchar, .bpchar, .name, .json, .unknown: return String(decoding: bytes, as: UTF8.self)
        case .jsonb:
            // jsonb_send: a version byte, then the text.
            guard bytes.first == 1 else { return nil }
            return String(decoding: bytes.dropFirst(), as: UTF8.self)
        default: return nil
        }
    }

    static func bytes(_ type: PostgresType?, _ bytes: Bytes) -> [UInt8]? {
        type == .bytea ? [UInt8](bytes) : nil
    }

    static func uuid(_ type: PostgresType?, _ bytes: Bytes) -> UUID? {
        guard type == .uuid, bytes.count == 16 else { return nil }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }

    static func timestamp(_ type: PostgresType?, _ bytes: Bytes) -> Int64? {
        guard type == .timestamptz else { return nil }
        return integer(bytes).flatMap { PostgresEpoch.fromServer(microseconds: $0) }
    }

    static func reachableTimestamp(_ type: PostgresType?, _ bytes: Bytes) -> Int64? {
        guard type == .timestamptz else { return nil }
        return integer(bytes).map { PostgresEpoch.fromServer(microseconds: $0) ?? .max }
    }

    static func date(_ type: PostgresType?, _ bytes: Bytes) -> Int32? {
        guard type == .date else { return nil }
        return integer(bytes).flatMap { PostgresEpoch.fromServer(days: $0) }
    }

    /// A one-dimensional array (array_send): dimensions, a flag, the element's OID, size and lower bound. Then each
    /// element follows as length and bytes. Every length is checked against the buffer. `element` returns nil if the
    /// type doesn't fit.
    static func array<T>(
        _ bytes: Bytes,
        _ element: (PostgresType?, Bytes) -> T?
    ) -> [T?]? {
        func int(_ offset: Int) -> Int32? {
            guard offset >= 0, offset + 4 <= bytes.count else { return nil }
            return Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self))
        }
        guard let dimensions = int(0), let oid = int(8) else { return nil }
        if dimensions == 0 { return [] }
        // Each element has at least its length word, so a wrong count can't reserve too much memory.
        guard dimensions == 1, let count = int(12), count >= 0, Int(count) <= (bytes.count - 20) / 4 else { return nil }
        let type = PostgresType(rawValue: UInt32(bitPattern: oid))
        var values: [T?] = []
        values.reserveCapacity(Int(count))
        var offset = 20
        for _ in 0..<count {
            guard let length = int(offset).map(Int.init) else { return nil }
            offset += 4
            if length < 0 {
                values.append(nil)
                continue
            }
            guard length <= bytes.count - offset else { return nil }
            guard let value = element(type, Bytes(rebasing: bytes[offset..<offset + length])) else { return nil }
            values.append(value)
            offset += length
        }
        return values
    }
}
