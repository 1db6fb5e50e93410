public import struct FoundationEssentials.UUID

// Every reader throws `unexpectedResult` if the cell doesn't exist, has another type or width, or is NULL. Readers with
// `OrNull` return nil for NULL.

extension Rows {
    /// A `bigint`, `integer` or `smallint`.
    public func int8(_ row: Int, _ column: Int) throws(PostgresError) -> Int64 {
        try required(row, column, "int8", BinaryValue.int8)
    }

    /// A `bigint`, `integer` or `smallint`, or nil for NULL.
    public func int8OrNull(_ row: Int, _ column: Int) throws(PostgresError) -> Int64? {
        try optional(row, column, "int8", BinaryValue.int8)
    }

    /// An `integer` or `smallint`.
    public func int4(_ row: Int, _ column: Int) throws(PostgresError) -> Int32 {
        try required(row, column, "int4", BinaryValue.int4)
    }

    /// An `integer` or `smallint`, or nil for NULL.
    public func int4OrNull(_ row: Int, _ column: Int) throws(PostgresError) -> Int32? {
        try optional(row, column, "int4", BinaryValue.int4)
    }

    /// A `smallint`.
    public func int2(_ row: Int, _ column: Int) throws(PostgresError) -> Int16 {
        try required(row, column, "int2", BinaryValue.int2)
    }

    /// A `smallint`, or nil for NULL.
    public func int2OrNull(_ row: Int, _ column: Int) throws(PostgresError) -> Int16? {
        try optional(row, column, "int2", BinaryValue.int2)
    }

    /// A `double precision` or `real`.
    public func double(_ row: Int, _ column: Int) throws(PostgresError) -> Double {
        try required(row, column, "double", BinaryValue.double)
    }

    /// A `double precision` or `real`, or nil for NULL.
    public func doubleOrNull(_ row: Int, _ column: Int) throws(PostgresError) -> Double? {
        try optional(row, column, "double", BinaryValue.double)
    }

    /// A `boolean`.
    public func bool(_ row: Int, _ column: Int) throws(PostgresError) -> Bool {
        try required(row, column, "bool", BinaryValue.bool)
    }

    /// A `boolean`, or nil for NULL.
    public func boolOrNull(_ row: Int, _ column: Int) throws(PostgresError) -> Bool? {
        try optional(row, column, "bool", BinaryValue.bool)
    }

    /// A `text`, `varchar`, `char(n)`, `name`, `json` or `jsonb`. Cast an enum to text.
    public func text(_ row: Int, _ column: Int) throws(PostgresError) -> String {
        try required(row, column, "text", BinaryValue.text)
    }

    /// A `text`, `varchar`, `char(n)`, `name`, `json` or `jsonb`, or nil for NULL. Cast an enum to text.
    public func textOrNull(_ row: Int, _ column: Int) throws(PostgresError) -> String? {
        try optional(row, column, "text", BinaryValue.text)
    }

    /// A `bytea`.
    public func bytes(_ row: Int, _ column: Int) throws(PostgresError) -> [UInt8] {
        try required(row, column, "bytes", BinaryValue.bytes)
    }

    /// A `bytea`, or nil for NULL.
    public func bytesOrNull(_ row: Int, _ column: Int) throws(PostgresError) -> [UInt8]? {
        try optional(row, column, "bytes", BinaryValue.bytes)
    }

    /// A `uuid`.
    public func uuid(_ row: Int, _ column: Int) throws(PostgresError) -> UUID {
        try required(row, column, "uuid", BinaryValue.uuid)
    }

    /// A `uuid`, or nil for NULL.
    public func uuidOrNull(_ row: Int, _ column: Int) throws(PostgresError) -> UUID? {
        try optional(row, column, "uuid", BinaryValue.uuid)
    }

    /// A `timestamptz` in microseconds since the Unix epoch. `Int64.max` and `.min` are the infinities.
    public func timestamp(_ row: Int, _ column: Int) throws(PostgresError) -> Int64 {
        try required(row, column, "timestamp", BinaryValue.timestamp)
    }

    /// A `timestamptz` in microseconds since the Unix epoch, or nil for NULL. `Int64.max` and `.min` are the
    /// infinities.
    public func timestampOrNull(_ row: Int, _ column: Int) throws(PostgresError) -> Int64? {
        try optional(row, column, "timestamp", BinaryValue.timestamp)
    }

    /// As `timestampOrNull`, but years after 294246 read as infinity, because microseconds since 1970 can't express
    /// them. For columns that people can edit.
    public func reachableTimestampOrNull(_ row: Int, _ column: Int) throws(PostgresError) -> Int64? {
        try optional(row, column, "timestamp", BinaryValue.reachableTimestamp)
    }

    /// A `date` in days since 1970-01-01. `Int32.max` and `.min` are the infinities.
    public func date(_ row: Int, _ column: Int) throws(PostgresError) -> Int32 {
        try required(row, column, "date", BinaryValue.date)
    }

    /// A `date` in days since 1970-01-01, or nil for NULL. `Int32.max` and `.min` are the infinities.
    public func dateOrNull(_ row: Int, _ column: Int) throws(PostgresError) -> Int32? {
        try optional(row, column, "date", BinaryValue.date)
    }

    private typealias Reader<T> = (PostgresType?, UnsafeRawBufferPointer) -> T?

    private func optional<T>(
        _ row: Int,
        _ column: Int,
        _ wanted: String,
        _ read: Reader<T>
    ) throws(PostgresError) -> T? {
        try cell(row, column) { type, bytes throws(PostgresError) in
            guard let value = read(type, bytes) else { throw mismatch(row, column, wanted) }
            return value
        }
    }

    private func required<T>(
        _ row: Int,
        _ column: Int,
        _ wanted: String,
        _ read: Reader<T>
    ) throws(PostgresError) -> T {
        guard let value = try optional(row, column, wanted, read) else {
            throw mismatch(row, column, "\(wanted), but is NULL")
        }
        return value
    }
}
