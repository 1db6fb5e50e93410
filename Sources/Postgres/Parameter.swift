public import struct FoundationEssentials.UUID

/// A bound value. It is sent in binary with its type's OID, so the server doesn't need to describe the statement first.
///
/// Instants are microseconds since the Unix epoch. `Int64.max` and `Int64.min` are PostgreSQL's `infinity` and
/// `-infinity`. Dates are days since 1970-01-01. `Int32.max` and `Int32.min` are the infinities. The server refuses a
/// text with U+0000 (SQLSTATE 22021).
public enum Parameter: Sendable {
    /// `smallint`
    case int2(Int16)
    /// `integer`
    case int4(Int32)
    /// `bigint`
    case int8(Int64)
    /// `double precision`
    case float8(Double)
    case bool(Bool)
    case text(String)
    case uuid(UUID)
    /// `timestamptz`, microseconds since the Unix epoch
    case timestamp(Int64)
    /// `date`, days since 1970-01-01
    case date(Int32)
    case bytea([UInt8])
    /// `jsonb`, as JSON text
    case json(String)
    /// `smallint[]`
    case int2Array([Int16?])
    /// `integer[]`
    case int4Array([Int32?])
    /// `bigint[]`
    case int8Array([Int64?])
    /// `double precision[]`
    case float8Array([Double?])
    case boolArray([Bool?])
    case textArray([String?])
    case uuidArray([UUID?])
    /// `timestamptz[]`, microseconds since the Unix epoch
    case timestampArray([Int64?])
    /// `date[]`, days since 1970-01-01
    case dateArray([Int32?])
    case byteaArray([[UInt8]?])
    /// `jsonb[]`, as JSON texts
    case jsonArray([String?])
    case null(PostgresType)
}

extension Parameter {
    /// The type that the server is told.
    var type: PostgresType {
        switch self {
        case .int2: .int2
        case .int4: .int4
        case .int8: .int8
        case .float8: .float8
        case .bool: .bool
        case .text: .text
        case .uuid: .uuid
        case .timestamp: .timestamptz
        case .date: .date
        case .bytea: .bytea
        case .json: .jsonb
        case .int2Array: .int2Array
        case .int4Array: .int4Array
        case .int8Array: .int8Array
        case .float8Array: .float8Array
        case .boolArray: .boolArray
        case .textArray: .textArray
        case .uuidArray: .uuidArray
        case .timestampArray: .timestamptzArray
        case .dateArray: .dateArray
        case .byteaArray: .byteaArray
        case .jsonArray: .jsonbArray
        case .null(let type): type
        }
    }
}
