public import FoundationEssentials

// Every reader throws `unexpectedResult` if the cell doesn't exist, has another type or width, or is NULL. Readers with
// `OrNull` return nil for NULL. Integers only widen: an int2 can be read as int8, but not an int8 as int2. Instants are
// microseconds since the Unix epoch and dates are days since 1970-01-01, as in `Parameter`.

extension Rows {
    public func int8(_ row: Int, _ column: Int) throws(PostgresError) -> Int64 { try one(row, column, .int8) }
    public func int8OrNull(_ row: Int, _ column: Int) throws(PostgresError) -> Int64? { try cell(row, column, .int8) }
    public func int4(_ row: Int, _ column: Int) throws(PostgresError) -> Int32 { try one(row, column, .int4) }
    public func int4OrNull(_ row: Int, _ column: Int) throws(PostgresError) -> Int32? { try cell(row, column, .int4) }
    public func int2OrNull(_ row: Int, _ column: Int) throws(PostgresError) -> Int16? { try cell(row, column, .int2) }
    public func bool(_ row: Int, _ column: Int) throws(PostgresError) -> Bool { try one(row, column, .bool) }
    public func boolOrNull(_ row: Int, _ column: Int) throws(PostgresError) -> Bool? { try cell(row, column, .bool) }
    public func bytes(_ row: Int, _ column: Int) throws(PostgresError) -> [UInt8] { try one(row, column, .bytes) }
    public func bytesOrNull(_ row: Int, _ column: Int) throws(PostgresError) -> [UInt8]? {
        try cell(row, column, .bytes)
    }
    public func uuid(_ row: Int, _ column: Int) throws(PostgresError) -> UUID { try one(row, column, .uuid) }
    public func uuidOrNull(_ row: Int, _ column: Int) throws(PostgresError) -> UUID? { try cell(row, column, .uuid) }
    public func dateOrNull(_ row: Int, _ column: Int) throws(PostgresError) -> Int32? { try cell(row, column, .date) }

    /// A `text`, `varchar`, `char(n)`, `name`, `json` or `jsonb`. Cast an enum to text.
    public func text(_ row: Int, _ column: Int) throws(PostgresError) -> String { try one(row, column, .text) }
    public func textOrNull(_ row: Int, _ column: Int) throws(PostgresError) -> String? { try cell(row, column, .text) }

    public func timestamp(_ row: Int, _ column: Int) throws(PostgresError) -> Int64 { try one(row, column, .timestamp) }

    public func timestampOrNull(_ row: Int, _ column: Int) throws(PostgresError) -> Int64? {
        try cell(row, column, .timestamp)
    }

    /// As `timestampOrNull`, but years after 294246 read as infinity: microseconds since 1970
    /// can't express them. For columns that people can edit.
    public func reachableTimestampOrNull(_ row: Int, _ column: Int) throws(PostgresError) -> Int64? {
        try cell(row, column, .reachableTimestamp)
    }
}

// One-dimensional arrays. A NULL element is nil. A NULL array is an error: check `isNull` first where it may be NULL.
extension Rows {
    public func int4Array(_ row: Int, _ column: Int) throws(PostgresError) -> [Int32?] { try array(row, column, .int4) }
    public func int2Array(_ row: Int, _ column: Int) throws(PostgresError) -> [Int16?] { try array(row, column, .int2) }
    public func textArray(_ row: Int, _ column: Int) throws(PostgresError) -> [String?] {
        try array(row, column, .text)
    }
    public func uuidArray(_ row: Int, _ column: Int) throws(PostgresError) -> [UUID?] { try array(row, column, .uuid) }

    public func bytesArray(_ row: Int, _ column: Int) throws(PostgresError) -> [[UInt8]?] {
        try array(row, column, .bytes)
    }

    public func timestampArray(_ row: Int, _ column: Int) throws(PostgresError) -> [Int64?] {
        try array(row, column, .timestamp)
    }
}

public typealias ColumnReader<Value> = (Rows) -> (_ row: Int, _ column: Int) throws(PostgresError) -> Value

public protocol ColumnValue {
    static var read: ColumnReader<Self> { get }
}

/// The same for the elements of an array.
public protocol ColumnElement {
    static var list: ColumnReader<[Self?]> { get }
}

extension Rows {
    /// One value for each row: `make`, mostly a memberwise initializer, gets the first columns in their order.
    public func decoded<each Value: ColumnValue, T>(_ make: (repeat each Value) -> T) throws(PostgresError) -> [T] {
        try map { row throws(PostgresError) in try decoded(at: row, make) }
    }

    /// The same for one row.
    public func decoded<each Value: ColumnValue, T>(
        at row: Int,
        _ make: (repeat each Value) -> T
    ) throws(PostgresError) -> T {
        var column = -1
        func next<One: ColumnValue>(_: One.Type) throws(PostgresError) -> One {
            column += 1
            return try One.read(self)(row, column)
        }
        return make(repeat try next((each Value).self))
    }
}

extension Bool: ColumnValue { public static var read: ColumnReader<Bool> { Rows.bool } }
extension Int32: ColumnValue { public static var read: ColumnReader<Int32> { Rows.int4 } }
extension Int64: ColumnValue { public static var read: ColumnReader<Int64> { Rows.int8 } }
extension String: ColumnValue { public static var read: ColumnReader<String> { Rows.text } }
extension UUID: ColumnValue { public static var read: ColumnReader<UUID> { Rows.uuid } }

extension Int: ColumnValue {
    public static var read: ColumnReader<Int> {
        { rows in { row, column throws(PostgresError) in Int(try rows.int8(row, column)) } }
    }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
    public static var read: ColumnReader<Wrapped?> {
        { rows in
            { row, column throws(PostgresError) in
                try rows.isNull(row, column) ? nil : try Wrapped.read(rows)(row, column)
            }
        }
    }
}

extension ColumnValue where Self: RawRepresentable, RawValue: ColumnValue {
    public static var read: ColumnReader<Self> {
        { rows in
            { row, column throws(PostgresError) in
                let value = Self(rawValue: try RawValue.read(rows)(row, column))
                guard let value else { throw rows.mismatch(row, column, "\(Self.self)") }
                return value
            }
        }
    }
}

extension String: ColumnElement { public static var list: ColumnReader<[String?]> { Rows.textArray } }
extension Int16: ColumnElement { public static var list: ColumnReader<[Int16?]> { Rows.int2Array } }

/// NULL elements are left out.
extension Array: ColumnValue where Element: ColumnElement {
    public static var read: ColumnReader<[Element]> {
        { rows in { row, column throws(PostgresError) in try Element.list(rows)(row, column).compactMap(\.self) } }
    }
}

extension Rows {
    private func one<Value>(_ row: Int, _ column: Int, _ reader: BinaryReader<Value>) throws(PostgresError) -> Value {
        guard let value = try cell(row, column, reader) else {
            throw mismatch(row, column, "\(reader.name), but is NULL")
        }
        return value
    }

    private func cell<Value>(_ row: Int, _ column: Int, _ reader: BinaryReader<Value>) throws(PostgresError) -> Value? {
        try cell(row, column) { type, bytes throws(PostgresError) in
            guard let value = reader.read(type, bytes) else { throw mismatch(row, column, reader.name) }
            return value
        }
    }

    private func array<Value>(
        _ row: Int,
        _ column: Int,
        _ reader: BinaryReader<Value>
    ) throws(PostgresError) -> [Value?] {
        try one(row, column, BinaryReader(name: "\(reader.name)Array") { BinaryReader.array($1, reader) })
    }
}

/// Reads values of one kind in PostgreSQL's binary format. `read` returns nil if type or width doesn't fit.
struct BinaryReader<Value> {
    typealias Bytes = UnsafeRawBufferPointer

    let name: String
    let read: (PostgresType?, Bytes) -> Value?

    /// A one-dimensional array (array_send): dimensions, a flag, the element's OID, size, lower bound. Each element has
    /// length and bytes. Every length is checked here; the elements' reader checks the OID, because an empty array may
    /// have any.
    static func array(_ bytes: Bytes, _ reader: BinaryReader<Value>) -> [Value?]? {
        func int(_ offset: Int) -> Int32? {
            guard offset >= 0, offset + 4 <= bytes.count else { return nil }
            return Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self))
        }
        guard let dimensions = int(0), let oid = int(8) else { return nil }
        if dimensions == 0 { return [] }
        // Each element has at least its length word, so a wrong count can't reserve too much memory.
        guard dimensions == 1, let count = int(12), count >= 0, Int(count) <= (bytes.count - 20) / 4 else { return nil }
        let type = PostgresType(rawValue: UInt32(bitPattern: oid))
        var values: [Value?] = []
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
            guard let value = reader.read(type, Bytes(rebasing: bytes[offset..<offset + length])) else { return nil }
            values.append(value)
            offset += length
        }
        return values
    }
}

extension BinaryReader where Value: FixedWidthInteger {
    fileprivate static func integer(_ bytes: Bytes) -> Value? {
        guard bytes.count == MemoryLayout<Value>.size else { return nil }
        return Value(bigEndian: bytes.loadUnaligned(as: Value.self))
    }
}

extension BinaryReader<Int64> {
    static var int8: Self {
        Self(name: "int8") { type, bytes in
            type == .int8 ? integer(bytes) : BinaryReader<Int32>.int4.read(type, bytes).map(Int64.init)
        }
    }

    static var timestamp: Self {
        Self(name: "timestamp") { $0 == .timestamptz ? integer($1).flatMap(unix) : nil }
    }

    static var reachableTimestamp: Self {
        Self(name: "timestamp") { $0 == .timestamptz ? integer($1).map { unix($0) ?? .max } : nil }
    }

    private static func unix(_ server: Int64) -> Int64? { PostgresEpoch.moved(server, by: PostgresEpoch.microseconds) }
}

extension BinaryReader<Int32> {
    static var int4: Self {
        Self(name: "int4") { type, bytes in
            type == .int4 ? integer(bytes) : BinaryReader<Int16>.int2.read(type, bytes).map(Int32.init)
        }
    }

    static var date: Self {
        Self(name: "date") {
            $0 == .date ? integer($1).flatMap { PostgresEpoch.moved($0, by: PostgresEpoch.days) } : nil
        }
    }
}

extension BinaryReader<Int16> {
    static var int2: Self { Self(name: "int2") { $0 == .int2 ? integer($1) : nil } }
}

extension BinaryReader<Bool> {
    static var bool: Self { Self(name: "bool") { $0 == .bool && $1.count == 1 ? $1[0] != 0 : nil } }
}

extension BinaryReader<[UInt8]> {
    static var bytes: Self { Self(name: "bytes") { $0 == .bytea ? [UInt8]($1) : nil } }
}

extension BinaryReader<UUID> {
    static var uuid: Self {
        Self(name: "uuid") { type, bytes in
            guard type == .uuid, bytes.count == 16 else { return nil }
            // The same sixteen bytes, in two loads.
            let halves = (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            return unsafeBitCast(halves, to: UUID.self)
        }
    }
}

extension BinaryReader<String> {
    /// Invalid UTF-8 (possible only in a database with SQL_ASCII) becomes U+FFFD: one bad row must not stop a batch.
    static var text: Self {
        Self(name: "text") { type, bytes in
            switch type {
            case .text, .varchar, .bpchar, .name, .json, .unknown: return String(decoding: bytes, as: UTF8.self)
            case .jsonb:
                // jsonb_send: a version byte, then the text.
                guard bytes.first == 1 else { return nil }
                return String(decoding: bytes.dropFirst(), as: UTF8.self)
            default: return nil
            }
        }
    }
}
