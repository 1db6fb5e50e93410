import CLibPQ

/// The result of one statement. It owns libpq's result, which never changes after it was received, so any thread may
/// read it. Cells are read in libpq's memory and copied only when they are read.
public final class Rows: Sendable {
    /// Guarded by immutability: PQgetvalue and similar functions only read, and `deinit` runs once, after the last
    /// read. PQgetvalue uses the connection's notice hooks only for an index out of range, which `cell` checks before.
    private nonisolated(unsafe) let result: OpaquePointer
    let statement: String
    public let count: Int
    public let columnCount: Int
    /// Of each column. Every cell asks for them.
    private let formats: [(isBinary: Bool, type: PostgresType?)]

    init(owning result: OpaquePointer, statement: String) {
        (self.result, self.statement) = (result, statement)
        count = Int(PQntuples(result))
        columnCount = Int(PQnfields(result))
        formats = (0..<PQnfields(result)).map {
            (PQfformat(result, $0) == 1, PostgresType(rawValue: PQftype(result, $0)))
        }
    }

    deinit { PQclear(result) }

    /// The command's tag without numbers: `INSERT`, `COMMIT` …
    var command: String { PQcmdStatus(result).map { String(String(cString: $0).prefix { $0 != " " }) } ?? "" }

    public func map<T>(_ read: (_ row: Int) throws(PostgresError) -> T) throws(PostgresError) -> [T] {
        try (0..<count).map(read)
    }

    public func isNull(_ row: Int, _ column: Int) throws(PostgresError) -> Bool {
        try check(row, column)
        return PQgetisnull(result, Int32(row), Int32(column)) == 1
    }

    /// Calls `body` with the type and the bytes of a cell. Returns nil for NULL. The buffer is valid during the call.
    func cell<R>(
        _ row: Int,
        _ column: Int,
        _ body: (_ type: PostgresType?, UnsafeRawBufferPointer) throws(PostgresError) -> R
    ) throws(PostgresError) -> R? {
        try check(row, column)
        let (row32, column32) = (Int32(row), Int32(column))
        if PQgetisnull(result, row32, column32) == 1 { return nil }
        let (isBinary, type) = formats[column]
        guard isBinary else { throw mismatch(row, column, "a text-format column") }
        let length = Int(PQgetlength(result, row32, column32))
        return try body(type, UnsafeRawBufferPointer(start: PQgetvalue(result, row32, column32), count: length))
    }

    /// The error for a cell that has another type than the reader expects. It names column and OID, never the value.
    func mismatch(_ row: Int, _ column: Int, _ wanted: String) -> PostgresError {
        let name = PQfname(result, Int32(column)).map { String(cString: $0) } ?? ""
        let detail = "row \(row), type OID \(PQftype(result, Int32(column))) read as \(wanted)"
        return PostgresError(.unexpectedResult, statement: statement, object: "column \(name)", detail: detail)
    }

    private func check(_ row: Int, _ column: Int) throws(PostgresError) {
        guard row >= 0, row < count, column >= 0, column < columnCount else {
            let detail = "no cell (\(row), \(column)) in \(count) rows of \(columnCount) columns"
            throw PostgresError(.unexpectedResult, statement: statement, detail: detail)
        }
    }
}
