import Seeded
import TestSupport
import Testing

@testable import YAML

@Suite struct YAMLDocumentTests {
    private func parse(_ text: String) throws(YAMLError) -> YAMLNode? { try YAMLDocument.parse(Array(text.utf8)) }

    private func failure(_ text: String) -> String? {
        do throws(YAMLError) {
            _ = try parse(text)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func tree_whenADocumentIsGood() throws {
        let text = "# comment\napns:\n  teamId: ABCDE12345\n  list: [a, \"b\"]\nempty:\n"
        let root = try #require(try parse(text))
        guard case .mapping(let entries) = root.value, case .mapping(let inner) = entries[0].value.value else {
            return fail("no mapping")
        }
        #expect(entries.map(\.key) == ["apns", "empty"])
        #expect(entries[0].mark == YAMLMark(line: 2, column: 1))
        #expect(entries[1].value.isNull)
        #expect(inner[0].key == "teamId")
        #expect(inner[0].mark == YAMLMark(line: 3, column: 3))
        let found = inner[0].value
        #expect(found == YAMLNode(value: .scalar("ABCDE12345", isPlain: true), mark: YAMLMark(line: 3, column: 11)))
        guard case .sequence(let items) = inner[1].value.value else { return fail("no sequence") }
        #expect(items.map(\.mark.column) == [10, 13])
        #expect(items[1].value == .scalar("b", isPlain: false))
    }

    @Test func column_whenCharactersHaveSeveralBytes() throws {
        guard case .mapping(let entries) = try #require(try parse("{\"ключ\": 1, b: 2}")).value else { return }
        #expect(entries[1].mark == YAMLMark(line: 1, column: 13))
    }

    @Test func nothing_whenTheTextIsEmpty() throws {
        #expect(try parse("") == nil)
        #expect(try parse("# only a comment\n") == nil)
    }

    @Test(arguments: [
        ("a: 1\nb: 2\na: 3\n", "3:1: this key is already in line 1"),
        ("a: &x 1\n", "1:4: anchors (&) and tags (!) are not supported here"),
        ("a: !!str 1\n", "1:4: anchors (&) and tags (!) are not supported here"),
        ("a: *x\n", "1:4: aliases (*) are not supported here"),
        ("a: 1\n---\nb: 2\n", "2:1: a second document begins here; write one only"),
        ("? [a]\n: 1\n", "1:3: a key must be a single word"),
        ("a: b: c\n", "1:5: mapping values are not allowed in this context"),
        ("a: \"open\n", "2:1: while scanning a quoted scalar: found unexpected end of stream"),
        ("\tb: 1\n", "1:1: while scanning for the next token: found character that cannot start any token"),
    ]) func fault_whenTheTextIs(text: String, expected: String) { #expect(failure(text) == expected) }

    @Test func fault_whenItIsTooLargeOrTooDeep() {
        #expect(failure(String(repeating: "#", count: YAMLDocument.maximumSize + 1))?.hasPrefix("1:1: ") == true)
        let nested = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
        #expect(failure(nested)?.contains("too deep") == true)
        #expect(failure("[" + String(repeating: "1,", count: 30_000) + "]")?.contains("too many") == true)
        #expect(failure(String(repeating: "[", count: 500_000)) != nil)
    }

    @Test func document_whenItHasNothingButDirectives_isReadSoon() {
        var text = ""
        for number in 0..<20_000 where text.utf8.count < YAMLDocument.maximumSize - 40 {
            text += "%TAG !\(number)! t\n"
        }
        let time = processorTime { #expect(failure(text + "--- a\n") == nil) }
        #expect(time < .seconds(3))
    }

    @Test func fault_whenBytesAreNoUTF8() {
        do throws(YAMLError) {
            _ = try YAMLDocument.parse(Array("a: 1\nbé: ".utf8) + [0xFF, 0x0A])
            Issue.record("taken")
        } catch {
            #expect(error.mark == YAMLMark(line: 2, column: 5))
        }
    }

    /// Random bytes, and random bytes of YAML's own characters, never do more than throw.
    @Test func anything_whenBytesAreRandom() {
        let seed = Seeds.extra
        var generator = SplitMix64(seed: seed)
        let alphabet = Array("{}[]:,-?!&*#|>'\"%@` \n\tab0~.\\\r".utf8)
        for round in 0..<20_000 {
            let bytes = (0..<generator.int(0...80)).map { _ in
                round % 2 == 0 ? UInt8(generator.int(0...255)) : generator.pick(alphabet)
            }
            do throws(YAMLError) {
                _ = try YAMLDocument.parse(bytes)
            } catch {
                #expect(error.mark.line >= 1 && error.mark.column >= 1, "seed \(seed) round \(round)")
            }
        }
    }
}
