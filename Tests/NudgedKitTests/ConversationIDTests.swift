import NudgedKit
import Testing

struct ConversationIDTests {
    private static let id = "0f4a1c3e-9b7d-4c2a-8e5f-001122334455"

    @Test func id_whenInAnyCase_isTheSame() {
        #expect(ConversationID(Self.id)?.description == Self.id)
        #expect(ConversationID("0F4A1C3E-9B7D-4C2A-8e5f-001122334455") == ConversationID(Self.id))
    }

    @Test(arguments: [
        "", "0f4a1c3e", "0f4a1c3e9b7d4c2a8e5f001122334455", "{0f4a1c3e-9b7d-4c2a-8e5f-001122334455}",
        "0f4a1c3e-9b7d-4c2a-8e5f-00112233445", "0f4a1c3e-9b7d-4c2a-8e5f-0011223344556",
        "0f4a1c3e-9b7d-4c2a-8e5f-00112233445g", "0f4a1c3e-9b7d-4c2a-8e5f_001122334455",
        "0f4a1c3e09b7d-4c2a-8e5f-001122334455", "0f4a1c3e-9b7d04c2a-8e5f-001122334455",
        "0f4a1c3e-9b7d-4c2a08e5f-001122334455", "0f4a1c3e-9b7d-4c2a-8e5f0001122334455",
        "0f4a1c3e-9b7d4-c2a-8e5f-001122334455", " f4a1c3e-9b7d-4c2a-8e5f-001122334455",
        "0f4a1c3e-9b7d-4c2a-8e5f-0011223344é", "-f4a1c3e-9b7d-4c2a-8e5f-001122334455",
        "0f4a1c3e-9b7d-4c2a-8e5f-00112233445\u{0}", "null",
    ])
    func id_whenNoUUID_isNone(text: String) {
        #expect(ConversationID(text) == nil)
    }
}
