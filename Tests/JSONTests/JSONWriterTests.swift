import JSON
import Testing

struct JSONWriterTests {
    @Test func writer_whenNested_setsCommas() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("a")
        writer.beginArray()
        writer.int(1)
        writer.beginObject()
        writer.endObject()
        writer.beginArray()
        writer.endArray()
        writer.null()
        writer.endArray()
        writer.key("b")
        writer.bool(true)
        writer.key("c")
        writer.string(nil)
        writer.key("d")
        writer.number(.infinity)
        writer.key("e")
        writer.int(Int64.min)
        writer.key("f")
        writer.int(UInt64.max)
        writer.key("g")
        writer.number(0.5)
        writer.endObject()
        #expect(
            writer.string
                == #"{"a":[1,{},[],null],"b":true,"c":null,"d":null,"e":-9223372036854775808,"f":18446744073709551615,"g":0.5}"#
        )
    }

    @Test func writer_whenText_escapesWhatItMust() throws {
        let text = "\"\\/\u{8}\t\n\u{C}\r\u{1F}\u{7F}é😀\u{2028}\0"
        var writer = JSONWriter()
        writer.string(text)
        #expect(writer.string == "\"\\\"\\\\/\\b\\t\\n\\f\\r\\u001f\u{7F}é😀\u{2028}\\u0000\"")
        #expect(try JSONValue(parsing: writer.bytes) == .string(text))
    }
}
