import CLibPQ
import Glibc

@testable import Postgres

/// Cuts an input into numbers and texts. After its end there are only zeros.
struct DrawnInput {
    private var rest: ArraySlice<UInt8>

    init(_ input: [UInt8]) { rest = input[...] }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// Two bytes, big endian.
    mutating func length() -> Int {
        let high = Int(byte())
        return high << 8 | Int(byte())
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        let taken = rest.prefix(count)
        rest = rest.dropFirst(taken.count)
        return Array(taken)
    }
}

/// The results of a claim's statements, by the statements' names, with the columns that the Store reads.
enum DrawnResult: String, CaseIterable {
    case people = "claim_people"
    case profiles = "claim_profiles"
    case devices = "claim_devices"
    case messages = "claim_messages"
    case reminders = "claim_reminders"
    case live = "live_reminders"
    case templates
    case seen = "claim_seen"
    case surfaces = "claim_surfaces"

    typealias Column = (name: String, type: PostgresType)

    var columns: [Column] {
        switch self {
        case .people:
            [
                ("user_id", .uuid), ("turn", .int4), ("version", .int8), ("due_at", .timestamptz),
                ("evaluated_at", .timestamptz), ("since", .timestamptz), ("touched_at", .timestamptz),
                ("retry", .text), ("quarantine", .text), ("state", .bytea), ("ignored", .int2),
            ]
        case .profiles:
            [
                ("user_id", .uuid), ("preferences", .text), ("timezone", .text), ("first_session_complete", .bool),
                ("context", .text), ("bytes", .int8),
            ]
        case .devices:
            [
                ("user_id", .uuid), ("token", .text), ("registered_at", .timestamptz), ("environment", .text),
                ("topic", .text),
            ]
        case .surfaces:
            [
                ("user_id", .uuid), ("surface", .text), ("token", .text), ("registered_at", .timestamptz),
                ("environment", .text), ("topic", .text),
            ]
        case .messages:
            [
                ("user_id", .uuid), ("id", .uuid), ("created_at", .timestamptz), ("title", .text), ("body", .text),
                ("data", .text), ("conversation_id", .text), ("domain", .text), ("urgent", .bool), ("category", .text),
                ("thread_id", .text), ("collapse_key", .text), ("expires_at", .timestamptz), ("apns", .text),
                ("deliver_at", .timestamptz), ("deliver_local", .timestamptz), ("texts", .text), ("pending", .int8),
            ]
        case .reminders:
            [
                ("user_id", .uuid), ("id", .uuid), ("reminder_id", .uuid), ("author_id", .uuid),
                ("subject_type", .text), ("subject_id", .text), ("title", .text), ("body", .text),
                ("due_at", .timestamptz), ("due_local", .timestamptz), ("timezone", .text), ("is_own", .bool),
                ("recurrence", .text), ("number", .int4), ("first_at", .timestamptz), ("first_local", .timestamptz),
                ("planned_local", .timestamptz), ("restored_at", .timestamptz), ("wakes_at", .timestamptz),
                ("apns", .text), ("data", .text), ("conversation_id", .text), ("domain", .text),
                ("is_fan_out", .bool),
            ]
        case .live: [("id", .uuid)]
        case .templates:
            [
                ("id", .int4), ("domain", .text), ("locale", .text), ("title", .text), ("body", .text),
                ("weight", .int4), ("action", .text), ("apns", .text), ("data", .text),
            ]
        case .seen: [("user_id", .uuid), ("at", .timestamptz)]
        }
    }

    /// The length of a cell that is NULL, and of one that holds the claimed user's id.
    static let null = 0xFFFF
    static let user = 0xFFFE

    /// Draws a result: a head of four bytes, then its cells, row by row, each as its length and that many bytes.
    ///
    /// The head has the number of rows, a column whose type is a lie, that type's place in `PostgresType`, and flags: a
    /// column less, text format, a hundred times the devices.
    func draw(from input: inout DrawnInput, user: [UInt8]) -> Rows {
        var columns = columns
        let count = Int(input.byte() % 4)
        let liar = Int(input.byte())
        let lie = Int(input.byte())
        let flags = input.byte()
        if flags & 1 != 0 { columns.removeLast() }
        var oids = columns.map(\.type.rawValue)
        if oids.indices.contains(liar) { oids[liar] = Self.oid(lie) }
        var rows: [[[UInt8]?]] = []
        for _ in 0..<count {
            var row: [[UInt8]?] = []
            for _ in columns {
                let length = input.length()
                row.append(length == Self.null ? nil : length == Self.user ? user : input.bytes(length))
            }
            rows.append(row)
        }
        if flags & 4 != 0, self == .devices { rows = Array(repeatElement(rows, count: 100).joined()) }
        let format: Int32 = flags & 2 != 0 ? 0 : 1
        return Self.rows(rawValue, columns.map(\.name), oids, rows, format: format)
    }

    /// A known type's OID, or that of `point`.
    static func oid(_ place: Int) -> UInt32 {
        let known = PostgresType.allCases
        return known.indices.contains(place) ? known[place].rawValue : 600
    }

    /// A result as libpq makes it from the server's answer. Formats: 0 text, 1 binary.
    static func rows(
        _ statement: String,
        _ names: [String],
        _ oids: [UInt32],
        _ rows: [[[UInt8]?]],
        format: Int32
    ) -> Rows {
        guard let result = PQmakeEmptyPGresult(nil, PGRES_TUPLES_OK) else { fatalError("no memory") }
        var attributes = zip(names, oids).map { name, oid in
            PGresAttDesc(
                name: strdup(name),
                tableid: 0,
                columnid: 0,
                format: format,
                typid: oid,
                typlen: -1,
                atttypmod: -1
            )
        }
        // libpq copies names and values.
        let isMade = PQsetResultAttrs(result, Int32(attributes.count), &attributes) != 0
        for attribute in attributes { free(attribute.name) }
        var isFilled = true
        for (row, cells) in rows.enumerated() {
            for (column, cell) in cells.enumerated() {
                // An empty value needs an address, because a null pointer means NULL.
                var bytes = (cell ?? []).map { CChar(truncatingIfNeeded: $0) } + [0]
                let length = cell.map { Int32($0.count) } ?? -1
                isFilled = PQsetvalue(result, Int32(row), Int32(column), &bytes, length) != 0 && isFilled
            }
        }
        guard isMade, isFilled else { fatalError("no memory") }
        return Rows(owning: result, statement: statement)
    }
}
