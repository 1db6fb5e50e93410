import FoundationEssentials
import TestSupport
import Testing

@testable import Postgres

@Suite(.ownThreads) struct RoundTripTests {
    typealias F = ServerFixture

    private let connection: Connection

    init() async throws { connection = try await F.connection() }

    static let uuid = UUID(uuidString: "00000000-0000-0000-0000-0000000000ff")!

    @Test func scalars_whenEdgeValues_comeBackEqual() async throws {
        for value in [Int64.min, -1, 0, 1, .max] {
            let rows = try await connection.run(F.sql("select $1, $1::text", .int8(value)))
            #expect(try rows.int8(0, 0) == value && rows.text(0, 1) == String(value))
        }
        let texts = ["", "ä\u{1F600}'\"\\", String(repeating: "x", count: 1_000_000)]
        for value in texts { #expect(try await connection.run(F.sql("select $1", .text(value))).text(0, 0) == value) }
        let others: [Parameter] = [
            .int4(.min), .bool(true), .bool(false), .uuid(Self.uuid), .bytea([0, 255, 1]), .bytea([]),
            .json("{\"a\": 1}"),
        ]
        let read = Statement("others", sql: "select $1, $2, $3, $4, $5, $6, $7::text", parameters: others)
        let rows = try await connection.run(read)
        #expect(try rows.int4(0, 0) == .min && rows.bool(0, 1) && !rows.bool(0, 2))
        #expect(try rows.uuid(0, 3) == Self.uuid && rows.bytes(0, 4) == [0, 255, 1] && rows.bytes(0, 5).isEmpty)
        #expect(try rows.text(0, 6) == "{\"a\": 1}")
    }

    /// The texts are the independent reading: PostgreSQL prints what it understood.
    @Test func instants_whenEdges_meanTheSame_andBeyondThemAreErrors() async throws {
        let timestamps: [(value: Int64, text: String)] = [
            (0, "1970-01-01 00:00:00+00"), (-1, "1969-12-31 23:59:59.999999+00"), (.max, "infinity"),
            (-62_135_596_800_000_000, "0001-01-01 00:00:00+00"), (.min, "-infinity"),
            (253_402_300_799_999_999, "9999-12-31 23:59:59.999999+00"),
        ]
        for (value, text) in timestamps {
            let select = F.sql("select $1::text, $1, $2::text::timestamptz", .timestamp(value), .text(text))
            let rows = try await connection.transaction([select], settings: [("timezone", "UTC")])[0]
            let isSame = try rows.text(0, 0) == text && rows.timestamp(0, 1) == value && rows.timestamp(0, 2) == value
            #expect(isSame, "\(text)")
        }
        let dates: [(value: Int32, text: String)] = [
            (0, "1970-01-01"), (-719_162, "0001-01-01"), (2_932_896, "9999-12-31"), (.max, "infinity"),
            (.min, "-infinity"),
        ]
        for (value, text) in dates {
            let rows = try await connection.run(F.sql("select $1::text, $1, $2::text::date", .date(value), .text(text)))
            let isSame = try rows.text(0, 0) == text && rows.dateOrNull(0, 1) == value && rows.dateOrNull(0, 2) == value
            #expect(isSame, "\(text)")
        }
        let rows = try await connection.run(F.sql("select '294276-12-31'::timestamptz, '5874897-12-31'::date"))
        #expect(throws: PostgresError.self) { try rows.timestamp(0, 0) }
        // Dates have more room.
        #expect(try rows.dateOrNull(0, 1) ?? 0 > 0)
        let error = await F.error { _ = try await connection.run(F.sql("select $1", .timestamp(Int64.min + 1))) }
        #expect(error?.code == .invalidParameter && connection.isUsable)
    }

    @Test func arrays_whenNullsAndEmptyOrLong_comeBackEqual() async throws {
        let arrays: [Parameter] = [
            .int8Array([1, nil, .min]), .int4Array([nil]), .int2Array([3]), .boolArray([true, nil, false]),
            .textArray(["", nil, "NULL", "{,\"}"]), .uuidArray([Self.uuid, nil]),
            .timestampArray([.max, nil, -62_135_596_800_000_000]), .dateArray([0, nil, .min]),
            .byteaArray([[], nil, [0]]), .jsonArray(["1", nil]), .textArray([]),
        ]
        let text = "select $1::text, $2, $3, $4::text, $5, $6, $7, $8::text, $9, $10::text, $11"
        let rows = try await connection.run(Statement("arrays", sql: text, parameters: arrays))
        #expect(try rows.text(0, 0) == "{1,NULL,-9223372036854775808}" && rows.int4Array(0, 1) == [nil])
        #expect(try rows.int4Array(0, 2) == [3] && rows.text(0, 3) == "{t,NULL,f}")
        #expect(try rows.textArray(0, 4) == ["", nil, "NULL", "{,\"}"] && rows.uuidArray(0, 5) == [Self.uuid, nil])
        #expect(try rows.timestampArray(0, 6) == [.max, nil, -62_135_596_800_000_000])
        #expect(try rows.text(0, 7) == "{1970-01-01,NULL,-infinity}" && rows.bytesArray(0, 8) == [[], nil, [0]])
        #expect(try rows.text(0, 9) == "{1,NULL}" && rows.textArray(0, 10).isEmpty)
        let ids = (0..<50_000).map { _ in UUID() }
        let numbered = "select u, n from unnest($1) with ordinality as a (u, n) order by n"
        let many = try await connection.run(F.sql(numbered, .uuidArray(ids)))
        #expect(try many.count == 50_000 && (0..<many.count).allSatisfy { try many.uuid($0, 0) == ids[$0] })
    }

    @Test func null_whenOfAnyType_isNull() async throws {
        for type in PostgresType.allCases where type != .unknown {
            let rows = try await connection.run(F.sql("select $1", .null(type)))
            #expect(try rows.isNull(0, 0) && rows.int8OrNull(0, 0) == nil, "\(type)")
            #expect(throws: PostgresError.self, "\(type)") { try rows.int8(0, 0) }
        }
    }

    @Test func readers_whenTypeOrCellIsWrong_throwAndNeverTrap() async throws {
        let cells = "select 1::int8 as big, 'planted-value' as word, array[array[1,2]] as deep, 1.5::numeric"
        let rows = try await connection.run(F.sql(cells))
        #expect(throws: PostgresError.self) { try rows.int4(0, 0) }
        #expect(throws: PostgresError.self) { try rows.uuid(0, 1) }
        #expect(throws: PostgresError.self) { try rows.text(0, 0) }
        #expect(throws: PostgresError.self) { try rows.int4Array(0, 2) }
        #expect(throws: PostgresError.self) { try rows.textArray(0, 1) }
        #expect(throws: PostgresError.self) { try rows.int8(0, 3) }
        for (row, column) in [(-1, 0), (1, 0), (0, 4), (0, -1), (.max, .max)] {
            #expect(throws: PostgresError.self) { try rows.isNull(row, column) }
            #expect(throws: PostgresError.self) { try rows.text(row, column) }
        }
        #expect { try rows.uuid(0, 1) } throws: { !"\($0)".contains("planted") && "\($0)".contains("column word") }
    }

    /// array_send's bytes with lies in them: counts and lengths that don't fit what is there.
    @Test func array_whenBytesLie_isNilAndNoTrap() {
        var generator = SystemRandomNumberGenerator()
        let seed = generator.next()
        var state = seed
        for _ in 0..<20_000 {
            var bytes: [UInt8] =
                [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 8]
                + Array(repeating: 0, count: 8)
            for _ in 0..<3 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes[Int(state >> 33) % bytes.count] = UInt8(truncatingIfNeeded: state >> 20)
            }
            bytes.removeLast(Int(state >> 40) % (bytes.count + 1))
            let values = bytes.withUnsafeBytes { BinaryReader.array($0, .int8) }
            #expect((values?.count ?? 0) <= 3, "seed \(seed)")
        }
    }
}
