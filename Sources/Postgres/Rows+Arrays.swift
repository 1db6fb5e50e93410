public import struct FoundationEssentials.UUID

// One-dimensional arrays. A NULL element is nil. Every reader throws `unexpectedResult` if the cell doesn't exist, has
// another type, has more dimensions, or is NULL. Check `isNull` first if it may be NULL.

extension Rows {
    /// A `bigint[]`, `integer[]` or `smallint[]`.
    public func int8Array(_ row: Int, _ column: Int) throws(PostgresError) -> [Int64?] {
        try array(row, column, "int8Array", [.int8Array, .int4Array, .int2Array], BinaryValue.int8)
    }

    /// An `integer[]` or `smallint[]`.
    public func int4Array(_ row: Int, _ column: Int) throws(PostgresError) -> [Int32?] {
        try array(row, column, "int4Array", [.int4Array, .int2Array], BinaryValue.int4)
    }

    /// A `smallint[]`.
    public func int2Array(_ row: Int, _ column: Int) throws(PostgresError) -> [Int16?] {
        try array(row, column, "int2Array", [.int2Array], BinaryValue.int2)
    }

    /// A `double precision[]`.
    public func doubleArray(_ row: Int, _ column: Int) throws(PostgresError) -> [Double?] {
        try array(row, column, "doubleArray", [.float8Array], BinaryValue.double)
    }

    /// A `boolean[]`.
    public func boolArray(_ row: Int, _ column: Int) throws(PostgresError) -> [Bool?] {
        try array(row, column, "boolArray", [.boolArray], BinaryValue.bool)
    }

    /// A `text[]`, `varchar[]` or `jsonb[]`.
    public func textArray(_ row: Int, _ column: Int) throws(PostgresError) -> [String?] {
        try array(row, column, "textArray", [.textArray, .varcharArray, .jsonbArray], BinaryValue.text)
    }

    /// A `bytea[]`.
    public func bytesArray(_ row: Int, _ column: Int) throws(PostgresError) -> [[UInt8]?] {
        try array(row, column, "bytesArray", [.byteaArray], BinaryValue.bytes)
    }

    /// A `uuid[]`.
    public func uuidArray(_ row: Int, _ column: Int) throws(PostgresError) -> [UUID?] {
        try array(row, column, "uuidArray", [.uuidArray], BinaryValue.uuid)
    }

    /// A `timestamptz[]` in microseconds since the Unix epoch.
    public func timestampArray(_ row: Int, _ column: Int) throws(PostgresError) -> [Int64?] {
        try array(row, column, "timestampArray", [.timestamptzArray], BinaryValue.timestamp)
    }

    /// A `date[]` in days since 1970-01-01.
    public func dateArray(_ row: Int, _ column: Int) throws(PostgresError) -> [Int32?] {
        try array(row, column, "dateArray", [.dateArray], BinaryValue.date)
    }

    private func array<T>(
        _ row: Int,
        _ column: Int,
        _ wanted: String,
        _ types: [PostgresType],
        _ element: (PostgresType?, UnsafeRawBufferPointer) -> T?
    ) throws(PostgresError) -> [T?] {
        let values = try cell(row, column) { type, bytes throws(PostgresError) in
            guard let type, types.contains(type), let values = BinaryValue.array(bytes, element) else {
                throw mismatch(row, column, wanted)
            }
            return values
        }
        guard let values else { throw mismatch(row, column, "\(wanted), but is NULL") }
        return values
    }
}
