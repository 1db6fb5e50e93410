import Seeded
import TestSupport
import Testing

@testable import JSON

struct JSONParserTests {
    private func parse(_ text: String) throws -> JSONValue { try JSONValue(parsing: text) }

    @Test(arguments: [
        ("null", JSONValue.null), (" true ", .bool(true)), ("false", .bool(false)), ("0", .int(0)), ("-0", .int(0)),
        ("10", .int(10)), ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
        ("9223372036854775808", .number(9223372036854775808)), ("-9223372036854775809", .number(-9223372036854775808)),
        ("10.0", .number(10)), ("1e1", .number(10)), ("1E-2", .number(0.01)),
        ("1e999", .number(.greatestFiniteMagnitude)), ("-1e999", .number(-.greatestFiniteMagnitude)),
        ("18446744073709551617", .number(18446744073709551616)), ("\"\"", .string("")),
        ("\"a\\u00e9\\n\\\"\\/\\ud83d\\ude00é\"", .string("aé\n\"/😀é")), ("\"\\u0000\"", .string("\0")),
        ("[]", .array([])), ("[1,\t[2]]", .array([.int(1), .array([.int(2)])])), ("{}", .object(JSONObject())),
    ]) func parse_whenValid_isTheValue(text: String, value: JSONValue) throws { #expect(try parse(text) == value) }

    @Test(arguments: [
        "", " ", "nul", "nulll", "True", "01", "-", "+1", "1.", ".5", "1e", "1e+", "0x10", "NaN", "Infinity", "'a'",
        "\"", "\"\\\"", "\"\\x\"", "\"\\u12g4\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\\ud800x\"",
        "\"\u{1}\"", "\"\n\"", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "]", "{", "{\"a\"", "{\"a\":", "{\"a\":1",
        "{\"a\":1,", "{\"a\":1,}", "{a:1}", "{1:1}", "{\"a\" 1}", "1 2", "// c\n1", "\u{FEFF}1", "[1]]", "\"\\",
    ]) func parse_whenInvalid_isAnError(text: String) { #expect(throws: JSONError.self) { try parse(text) } }

    @Test(
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xE2, 0x82, 0x22],
            [0x22, 0x5C, 0x6E, 0x80, 0x22], [0x80],
        ] as [[UInt8]]
    ) func parse_whenInvalidUTF8_isAnError(bytes: [UInt8]) {
        #expect(throws: JSONError.self) { try JSONValue(parsing: bytes) }
    }

    @Test func parse_whenNestedDeep_isBounded() throws {
        let deepest = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
        #expect(try parse(deepest) != .null)
        #expect(throws: JSONError.self) { try parse("[" + deepest + "]") }
        #expect(throws: JSONError.self) { try parse(String(repeating: "{\"a\":", count: 1_000_000)) }
        #expect(throws: JSONError.self) { try parse(String(repeating: "[", count: 1_000_000)) }
    }

    @Test func object_whenKeysAreEqual_keepsTheLast() throws {
        #expect(try parse("{\"a\":1,\"b\":2,\"a\":3}")["a"] == .int(3))
        #expect(try parse("{\"a\":1,\"\\u0061\":3}") == parse("{\"a\":3}"))
        let many = (0..<1000).map { "\"k\($0 % 300)\":\($0)" }.joined(separator: ",")
        let object = try parse("{\(many)}")
        #expect(object["k0"] == .int(900))
        #expect(object["k299"] == .int(899))
        guard case .object(let members) = object else { return }
        #expect(members.members.count == 300)
        #expect(members.members.first?.key == "k0")
    }

    @Test func object_whenKeysAreAlikeOnly_keepsBoth() throws {
        // U+212A KELVIN SIGN is canonically equivalent to K, and é has two spellings.
        let object = try parse("{\"K\":1,\"\u{212A}\":2,\"\u{E9}\":3,\"e\u{301}\":4}")
        let found = [object["K"], object["\u{212A}"], object["\u{E9}"], object["e\u{301}"]]
        #expect(found == [.int(1), .int(2), .int(3), .int(4)])
    }

    @Test(arguments: Seeds.all) func parse_whenBytesAreRandom_neverCrashes(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let alphabet = Array("{}[]\":,\\u0d8-+.eE19truefalsn \n\u{7F}".utf8) + [0x80, 0xC3, 0xED, 0xF0, 0xFF, 0]
        for _ in 0..<30_000 {
            let bytes = (0..<random.int(0...24)).map { _ in random.pick(alphabet) }
            guard let value = try? JSONValue(parsing: bytes) else { continue }
            #expect((try? JSONValue(parsing: value.bytes)) == value, "seed \(seed): \(bytes)")
        }
    }

    @Test func error_whenThrown_tellsOffset() {
        #expect(throws: JSONError(offset: 4, what: "a colon is expected")) { try parse("{\"a\"1}") }
    }
}

struct JSONWriterTests {
    @Test func document_whenNested_setsCommas() {
        let value = JSONValue.object(
            JSONObject([
                .init(key: "a", value: .array([.int(1), .object(JSONObject()), .array([]), .null])),
                .init(key: "b", value: .bool(true)), .init(key: "c", value: .null),
                .init(key: "d", value: .number(.infinity)), .init(key: "e", value: .int(.min)),
                .init(key: "f", value: .int(.max)), .init(key: "g", value: .number(0.5)),
            ])
        )
        #expect(
            value.document
                == #"{"a":[1,{},[],null],"b":true,"c":null,"d":null,"e":-9223372036854775808,"f":9223372036854775807,"g":0.5}"#
        )
    }

    @Test func document_whenText_escapesWhatItMust() throws {
        let text = "\"\\/\u{8}\t\n\u{C}\r\u{1F}\u{7F}é😀\u{2028}\0"
        let value = JSONValue.string(text)
        #expect(value.document == "\"\\\"\\\\/\\b\\t\\n\\f\\r\\u001f\u{7F}é😀\u{2028}\\u0000\"")
        #expect(try JSONValue(parsing: value.bytes) == value)
    }
}
