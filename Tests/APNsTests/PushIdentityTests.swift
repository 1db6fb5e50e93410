import FoundationEssentials
import Testing

@testable import APNs
@testable import HTTP2

@Suite struct PushIdentityTests {
    private let user = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    /// Pinned: a change would give a repeat another id than its first try had, across an upgrade.
    @Test func identities_arePinned() {
        let id = PushIdentity.apnsID(user: user, kind: "check_in", key: "2026-11-21", token: "abcdef")
        #expect(id == PushIdentity.apnsID(user: user, kind: "check_in", key: "2026-11-21", token: "ABCDEF"))
        // Version 8.
        #expect(id.uuid.6 >> 4 == 8 && id.uuid.8 >> 6 == 2)
        #expect(id.uuidString.lowercased() == "2b7820ff-9441-8d56-b053-07f2c5e0f12f")
        var collapseID: [UInt8] = []
        PushIdentity.collapseID(user: user, kind: "check_in", key: "2026-11-21").append(to: &collapseID)
        #expect(String(decoding: collapseID, as: UTF8.self) == "5e096542634a19e56361101a4bb5e03c")
        // printf %s abcdef | sha256sum
        #expect(PushIdentity.deviceHash(token: "ABCdef") == "bef57ec7f53a6d40")
    }

    @Test func apnsID_differs_whenAnyPartDoes() {
        let ids = [
            PushIdentity.apnsID(user: user, kind: "a", key: "bc", token: "d0"),
            PushIdentity.apnsID(user: user, kind: "ab", key: "c", token: "d0"),
            PushIdentity.apnsID(user: user, kind: "a", key: "b", token: "d0"),
            PushIdentity.apnsID(user: user, kind: "a", key: "bc", token: "d1"),
            PushIdentity.apnsID(user: UUID(), kind: "a", key: "bc", token: "d0"),
        ]
        #expect(Set(ids).count == ids.count)
    }

    @Test(arguments: [
        ("", false), ("a", false), ("ab", true), ("AbC0", true), ("abc", false), ("zz", false), ("a b0", false),
        (String(repeating: "0", count: 64), true), (String(repeating: "0", count: 200), true),
        (String(repeating: "0", count: 202), false), ("é", false), ("ab\n0", false), ("../b", false),
    ]) func token_isChecked(text: String, isToken: Bool) { #expect(DeviceToken.isValid(text) == isToken) }
}

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

/// Each byte counts, wherever it is.
struct CheckedBytesTests {
    @Test func tokens_whenAnyByteIsAnywhere() {
        for length in [2, 6, 8, 10, 64, 200] {
            for byte in UInt8(0)...0x7F {
                let isDigit = Character(UnicodeScalar(byte)).isHexDigit
                for place in [0, 1, 7, 8, length / 2, length - 1] where place < length {
                    var text = [UInt8](repeating: UInt8(ascii: "f"), count: length)
                    text[place] = byte
                    #expect(
                        DeviceToken.isValid(String(decoding: text, as: UTF8.self)) == isDigit,
                        "\(byte) at \(place) of \(length)"
                    )
                }
            }
        }
        #expect(!DeviceToken.isValid("abcdefg\u{E9}"))
    }

    @Test func texts_whenAnyByteIsAnywhere() {
        for length in [1, 7, 8, 9, 17] {
            for byte in UInt8(0)...0x7F {
                for place in [0, length / 2, length - 1] {
                    var text = [UInt8](repeating: UInt8(ascii: "a"), count: length)
                    text[place] = byte
                    var out: [UInt8] = []
                    JSONText.append(String(decoding: text, as: UTF8.self), to: &out)
                    let isEscaped = out.count > length + 2
                    let mustBe = byte < 0x20 || byte == 0x22 || byte == 0x5C
                    #expect(isEscaped == mustBe, "\(byte) at \(place) of \(length)")
                }
            }
        }
        var out: [UInt8] = []
        JSONText.append("Grüße 🌍 aus Köln", to: &out)
        #expect(String(decoding: out, as: UTF8.self) == "\"Grüße 🌍 aus Köln\"")
    }
}
