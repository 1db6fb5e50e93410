import FoundationEssentials
import Testing

@testable import APNs

@Suite struct PushIdentityTests {
    private let user = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    @Test func apnsID_isStableAndShapedAsVersion8_whenAskedTwice() {
        let id = PushIdentity.apnsID(user: user, kind: "check_in", key: "2026-11-21", token: "ABCDEF")
        #expect(id == PushIdentity.apnsID(user: user, kind: "check_in", key: "2026-11-21", token: "abcdef"))
        #expect(id.uuid.6 >> 4 == 8)
        #expect(id.uuid.8 >> 6 == 2)
    }

    /// Pinned: a change would give a repeat another id than its first try had, across an upgrade.
    @Test func identities_arePinned() {
        let id = PushIdentity.apnsID(user: user, kind: "check_in", key: "2026-11-21", token: "abcdef")
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
    ])
    func token_isChecked(text: String, isToken: Bool) {
        #expect(DeviceToken.isValid(text) == isToken)
    }

    @Test func token_takesHexadecimalDigitsOnly_forEveryByte() {
        for byte in UInt8(0)...127 {
            let text = String(decoding: [byte, byte], as: UTF8.self)
            #expect(DeviceToken.isValid(text) == "0123456789abcdefABCDEF".utf8.contains(byte))
        }
    }
}
