import FoundationEssentials
import Testing

@testable import APNs
@testable import HTTP2

/// Pushes in one piece of memory.
struct PushBatchTests {
    @Test func texts_areEachPushsOwn_whenOthersCanNotBeSent() throws {
        var batch = PushBatch(topic: "com.example.App")
        let id = try #require(UUID(uuidString: "0e1d2c3b-4a59-6877-8695-a4b3c2d1e0f1"))
        for (letter, token, size) in [("1", "ab12", 3), ("2", "xyz", 3), ("3", "cd34", 4_097), ("4", "ef56", 5)] {
            batch.append(token: token, expiration: 42, apnsID: id, collapseID: .init(1, 0xAB), writeBy: 7) {
                $0.append(contentsOf: String(repeating: letter, count: size).utf8)
            }
        }
        batch.skip(.unsent(reason: "changed"))
        #expect(batch.count == 5 && batch.requests.count == 5)
        #expect(batch.outcomes == [1: .invalidToken, 2: .payloadTooLarge, 4: .unsent(reason: "changed")])
        let requests = batch.requests
        func text(_ range: Range<Int>) -> String { String(decoding: requests.bytes[range], as: UTF8.self) }
        #expect(requests.slots.map { text($0.headEnd..<$0.end) } == ["111", "", "", "44444", ""])
        let paths = ["/3/device/ab12", "", "", "/3/device/ef56", ""]
        #expect(requests.slots.map { text($0.start..<$0.pathEnd) } == paths)
        // The first expiration is never indexed, the same again may be.
        #expect([0, 3].map { requests.bytes[requests.slots[$0].pathEnd] } == [1, 0])
        let fields = text(requests.slots[3].pathEnd..<requests.slots[3].headEnd)
        let collapseID = "000000000000000100000000000000ab"
        #expect(fields == "\0\0\u{2}42\u{2}\0$0e1d2c3b-4a59-6877-8695-a4b3c2d1e0f1\u{3}\0 \(collapseID)")
    }
}
