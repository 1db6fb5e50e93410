/// The PostgreSQL types that this module reads and writes, each with its OID (fixed in `pg_type.dat`).
public enum PostgresType: UInt32, Sendable, CaseIterable {
    /// `boolean`
    case bool = 16
    /// `bytea`
    case bytea = 17
    /// `name`: read only, as text
    case name = 19
    /// `bigint`
    case int8 = 20
    /// `smallint`
    case int2 = 21
    /// `integer`
    case int4 = 23
    /// `text`
    case text = 25
    /// `json`: read only, as text
    case json = 114
    /// `real`: read only, as double
    case float4 = 700
    /// `double precision`
    case float8 = 701
    /// an untyped literal: read only, as text
    case unknown = 705
    /// `character(n)`: read only, as text
    case bpchar = 1042
    /// `character varying`: read only, as text
    case varchar = 1043
    /// `date`
    case date = 1082
    /// `timestamp with time zone`
    case timestamptz = 1184
    /// `uuid`
    case uuid = 2950
    /// `jsonb`
    case jsonb = 3802
    /// `boolean[]`
    case boolArray = 1000
    /// `bytea[]`
    case byteaArray = 1001
    /// `smallint[]`
    case int2Array = 1005
    /// `integer[]`
    case int4Array = 1007
    /// `text[]`
    case textArray = 1009
    /// `character varying[]`: read only, as text
    case varcharArray = 1015
    /// `bigint[]`
    case int8Array = 1016
    /// `double precision[]`
    case float8Array = 1022
    /// `date[]`
    case dateArray = 1182
    /// `timestamp with time zone[]`
    case timestamptzArray = 1185
    /// `uuid[]`
    case uuidArray = 2951
    /// `jsonb[]`
    case jsonbArray = 3807
}
