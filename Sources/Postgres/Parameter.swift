public import struct FoundationEssentials.UUID

public struct Statement: Sendable {
    /// The name in errors, for example the SQL file's. It never holds user data.
    public let name: String
    public let sql: String
    /// The values of `$1`, `$2` …, in that order. At most 65,535.
    public let parameters: [Parameter]
    /// If it runs often: its name in sessions, which prepare it once (`Connection.transaction`). Each text has its own.
    public let preparedName: String?

    public init(_ name: String, sql: String, parameters: [Parameter] = [], preparedName: String? = nil) {
        (self.name, self.sql) = (name, sql)
        (self.parameters, self.preparedName) = (parameters, preparedName)
    }
}

/// The PostgreSQL types that this module reads and writes, each with its OID (fixed in `pg_type.dat`). `name`, `json`,
/// `unknown` (an untyped literal), `bpchar`, `varchar` and `varcharArray` are only read, as text.
public enum PostgresType: UInt32, Sendable, CaseIterable {
    case bool = 16
    case bytea = 17
    case name = 19
    case int8 = 20
    case int2 = 21
    case int4 = 23
    case text = 25
    case json = 114
    case unknown = 705
    case bpchar = 1042
    case varchar = 1043
    case date = 1082
    case timestamptz = 1184
    case uuid = 2950
    case jsonb = 3802
    case boolArray = 1000
    case byteaArray = 1001
    case int2Array = 1005
    case int4Array = 1007
    case textArray = 1009
    case varcharArray = 1015
    case int8Array = 1016
    case dateArray = 1182
    case timestamptzArray = 1185
    case uuidArray = 2951
    case jsonbArray = 3807
}

/// A bound value in PostgreSQL's binary format. It is sent with its type's OID, so nothing is described first.
///
/// Instants are microseconds since the Unix epoch, dates are days since 1970-01-01. The integers' `max` and `min` are
/// PostgreSQL's `infinity` and `-infinity`. The server refuses a text with U+0000 (SQLSTATE 22021).
public struct Parameter: Sendable {
    let type: PostgresType
    let bytes: [UInt8]?
    /// Whether PostgreSQL has such a value. A statement with another is not sent.
    let isExpressible: Bool

    private init(_ type: PostgresType, _ bytes: [UInt8]?, isExpressible: Bool = true) {
        (self.type, self.bytes, self.isExpressible) = (type, bytes, isExpressible)
    }

    public static func null(_ type: PostgresType) -> Parameter { Parameter(type, nil) }
    public static func int4(_ value: Int32) -> Parameter { one(.int4, value.bigEndian) }
    public static func int8(_ value: Int64) -> Parameter { one(.int8, value.bigEndian) }
    public static func bool(_ value: Bool) -> Parameter { Parameter(.bool, [value ? 1 : 0]) }
    public static func text(_ value: String?) -> Parameter { Parameter(.text, value.map { Array($0.utf8) }) }
    public static func uuid(_ value: UUID?) -> Parameter { value.map { one(.uuid, $0.uuid) } ?? null(.uuid) }
    public static func bytea(_ value: [UInt8]) -> Parameter { Parameter(.bytea, value) }
    /// `jsonb`, as JSON text: jsonb_recv wants a version byte first.
    public static func json(_ value: String?) -> Parameter { Parameter(.jsonb, value.map { [1] + $0.utf8 }) }
    public static func timestamp(_ value: Int64?) -> Parameter {
        value.map { one(.timestamptz, instant($0)) } ?? null(.timestamptz)
    }
    public static func date(_ value: Int32) -> Parameter { one(.date, day(value)) }

    public static func int2Array(_ values: [Int16?]) -> Parameter {
        fixed(.int2Array, of: .int2, values) { $0.bigEndian }
    }
    public static func int4Array(_ values: [Int32?]) -> Parameter {
        fixed(.int4Array, of: .int4, values) { $0.bigEndian }
    }
    public static func int8Array(_ values: [Int64?]) -> Parameter {
        fixed(.int8Array, of: .int8, values) { $0.bigEndian }
    }
    public static func uuidArray(_ values: [UUID?]) -> Parameter { fixed(.uuidArray, of: .uuid, values) { $0.uuid } }
    /// Without a cast of each element.
    public static func uuidArray(_ values: [UUID]) -> Parameter {
        fixed(.uuidArray, of: .uuid, values.lazy.map(Optional.some)) { $0.uuid }
    }
    public static func dateArray(_ values: [Int32?]) -> Parameter { fixed(.dateArray, of: .date, values, day) }

    public static func boolArray(_ values: [Bool?]) -> Parameter {
        fixed(.boolArray, of: .bool, values) { UInt8($0 ? 1 : 0) }
    }

    public static func timestampArray(_ values: [Int64?]) -> Parameter {
        fixed(.timestamptzArray, of: .timestamptz, values, instant)
    }

    public static func textArray(_ values: [String?]) -> Parameter {
        array(.textArray, of: .text, values) { $0.append(contentsOf: $1.utf8) }
    }

    public static func byteaArray(_ values: [[UInt8]?]) -> Parameter {
        array(.byteaArray, of: .bytea, values) { $0.append(contentsOf: $1) }
    }

    public static func jsonArray(_ values: [String?]) -> Parameter {
        array(.jsonbArray, of: .jsonb, values) { bytes, json in
            bytes.append(1)
            bytes.append(contentsOf: json.utf8)
        }
    }

    private static func instant(_ unix: Int64) -> Int64? {
        PostgresEpoch.moved(unix, by: -PostgresEpoch.microseconds)?.bigEndian
    }
    private static func day(_ unix: Int32) -> Int32? { PostgresEpoch.moved(unix, by: -PostgresEpoch.days)?.bigEndian }

    /// - Parameter value: as it is in memory. nil if it can't be expressed.
    private static func one(_ type: PostgresType, _ value: (some BitwiseCopyable)?) -> Parameter {
        guard let value else { return inexpressible(type) }
        return Parameter(type, withUnsafeBytes(of: value) { Array($0) })
    }

    private static func inexpressible(_ type: PostgresType) -> Parameter { Parameter(type, nil, isExpressible: false) }

    /// Elements of one length, written in one pass: a settlement binds about thirty of these lists. `encode` returns an
    /// element's bytes as they are in memory. Nil if it can't be expressed.
    private static func fixed<Element, Bytes: BitwiseCopyable>(
        _ type: PostgresType,
        of element: PostgresType,
        _ values: some Collection<Element?>,
        _ encode: (Element) -> Bytes?
    ) -> Parameter {
        let width = MemoryLayout<Bytes>.size
        guard var bytes = arrayHead(values, of: element, width: width) else { return inexpressible(type) }
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: values.count * (4 + width)))
        let length = Int32(truncatingIfNeeded: width).bigEndian
        let end = bytes.withUnsafeMutableBytes { raw -> Int? in
            var place = start
            for value in values {
                guard let value else {
                    raw.storeBytes(of: Int32(-1), toByteOffset: place, as: Int32.self)
                    place += 4
                    continue
                }
                guard let element = encode(value) else { return nil }
                raw.storeBytes(of: length, toByteOffset: place, as: Int32.self)
                raw.storeBytes(of: element, toByteOffset: place + 4, as: Bytes.self)
                place += 4 + width
            }
            return place
        }
        guard let end else { return inexpressible(type) }
        bytes.removeLast(bytes.count - end)
        return Parameter(type, bytes)
    }

    private static func array<Element>(
        _ type: PostgresType,
        of element: PostgresType,
        _ values: [Element?],
        _ encode: (inout [UInt8], Element) -> Void
    ) -> Parameter {
        guard var bytes = arrayHead(values, of: element, width: 32) else { return inexpressible(type) }
        for value in values {
            let start = bytes.count
            bytes.append(bigEndian: Int32(-1))
            guard let value else { continue }
            encode(&bytes, value)
            guard let length = Int32(exactly: bytes.count - start - 4) else { return inexpressible(type) }
            withUnsafeBytes(of: length.bigEndian) { bytes.replaceSubrange(start..<start + 4, with: $0) }
        }
        return Parameter(type, bytes)
    }

    /// The head of array_recv's format: dimensions (0 if empty), a flag for NULLs and the element's OID, then size and
    /// lower bound. Each element follows as length and bytes. Nil if there are too many elements.
    private static func arrayHead<Element>(
        _ values: some Collection<Element?>,
        of type: PostgresType,
        width: Int
    ) -> [UInt8]? {
        guard let count = Int32(exactly: values.count) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(20 + values.count * (4 + width))
        bytes.append(bigEndian: Int32(count == 0 ? 0 : 1))
        bytes.append(bigEndian: Int32(values.contains { $0 == nil } ? 1 : 0))
        bytes.append(bigEndian: type.rawValue)
        if count == 0 { return bytes }
        bytes.append(bigEndian: count)
        bytes.append(bigEndian: Int32(1))
        return bytes
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}

/// PostgreSQL counts from 2000-01-01, the callers of this module from 1970-01-01. Infinities keep their extreme values.
enum PostgresEpoch {
    static let microseconds: Int64 = 946_684_800_000_000
    static let days: Int32 = 10_957

    /// Nil if the other side can't express it: Unix microseconds in 64 bits have no years after 294246.
    static func moved<Count: FixedWidthInteger>(_ count: Count, by distance: Count) -> Count? {
        if count == .max || count == .min { return count }
        let (value, overflow) = count.addingReportingOverflow(distance)
        return overflow ? nil : value
    }
}
