import FoundationEssentials
import Testing

@testable import APNs
@testable import HTTP2

/// Pushes in one piece of memory.
struct PushBatchTests {
    @Test func texts_areEachPushsOwn_whenOthersHaveFaults() throws {
        var batch = PushBatch()
        let id = try #require(UUID(uuidString: "0e1d2c3b-4a59-6877-8695-a4b3c2d1e0f1"))
        for (tag, token, size) in [(UInt64(1), "ab12", 3), (2, "xyz", 3), (3, "cd34", 4_097), (4, "ef56", 5)] {
            batch.append(
                tag: tag,
                token: token,
                topic: "com.example.App",
                expiration: 42,
                apnsID: id,
                collapseID: "c",
                writeBy: 7
            ) { $0.append(contentsOf: repeatElement(UInt8(ascii: "0") + UInt8(tag), count: size)) }
        }
        #expect(batch.entries.map(\.text) == [0, -1, -1, 1])
        #expect(batch.entries.map(\.fault) == [nil, .invalidToken, .payloadTooLarge(bytes: 4_097, limit: 4_096), nil])
        let texts = batch.texts
        let bodies = texts.spans.map { String(decoding: texts.bytes[$0.headEnd..<$0.end], as: UTF8.self) }
        #expect(bodies == ["111", "44444"])
        let paths = texts.spans.map { String(decoding: texts.bytes[$0.start..<$0.pathEnd], as: UTF8.self) }
        #expect(paths == ["/3/device/ab12", "/3/device/ef56"])
        // The first expiration is never indexed, the same again may be.
        let indices = texts.spans.map { texts.bytes[$0.pathEnd] }
        #expect(indices == [1, 0])
        let head = texts.spans[1]
        let fields = String(decoding: texts.bytes[head.pathEnd..<head.headEnd], as: UTF8.self)
        #expect(fields == "\0\0\u{2}42\u{2}\0$0e1d2c3b-4a59-6877-8695-a4b3c2d1e0f1\u{3}\0\u{1}c")
    }
}
