/// The PostgreSQL types that this module reads and writes, each with its OID (fixed in `pg_type.dat`).
public enum PostgresType: UInt32, Sendable, CaseIterable {
    case bool = 16
    case bytea = 17
    /// `name`: only read, as text
    case name = 19
    /// `bigint`
    case int8 = 20
    /// `smallint`
    case int2 = 21
    /// `integer`
    case int4 = 23
    case text = 25
    /// `json`: only read, as text
    case json = 114
    /// `real`: only read, as double
    case float4 = 700
    /// `double precision`
    case float8 = 701
    /// An untyped literal: only read, as text
    case unknown = 705
    /// `character(n)`: only read, as text
    case bpchar = 1042
    /// `character varying`: only read, as text
    case varchar = 1043
    case date = 1082
    /// `timestamp with time zone`
    case timestamptz = 1184
    case uuid = 2950
    case jsonb = 3802
    case boolArray = 1000
    case byteaArray = 1001
    /// `smallint[]`
    case int2Array = 1005
    /// `integer[]`
    case int4Array = 1007
    case textArray = 1009
    /// `character varying[]`: only read, as text
    case varcharArray = 1015
    /// `bigint[]`
    case int8Array = 1016
    /// `double precision[]`
    case float8Array = 1022
    case dateArray = 1182
    /// `timestamp with time zone[]`
    case timestamptzArray = 1185
    case uuidArray = 2951
    case jsonbArray = 3807
}
