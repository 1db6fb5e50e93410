import Base
import FoundationEssentials
import Testing

struct BaseTests {
    @Test func backoff_doublesToItsCapAndIsJittered() {
        let backoff = Backoff(first: 250, most: 30_000)
        let found = (1...9).map { backoff.wait(failures: $0, random: 1) }
        #expect(found == [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
        #expect(backoff.wait(failures: .max, random: 1) == 30_000)
        #expect(backoff.wait(failures: 3, random: 0.5) == 500)
        #expect(backoff.wait(failures: 3, random: 0) == 0)
        #expect(Backoff(first: 1_000, most: 60_000, least: 500).wait(failures: 2, random: 0) == 500)
    }

    /// Draft-eastlake-fnv's own vectors.
    @Test func hash_whenOfKnownTexts_isFNV1a() {
        #expect("".stableHash == 0xCBF2_9CE4_8422_2325 && "foobar".stableHash == 0x8594_4171_F739_67E8)
    }

    @Test func hash_whenOfAUUID_isThatOfItsText() {
        let id = UUID.random()
        #expect(FNV1a(id).value == id.uuidString.lowercased().stableHash)
        #expect(FNV1a(id).adding(":spread") == "\(id.uuidString.lowercased()):spread".stableHash)
    }

    @Test(arguments: ["0f4a1c3e-9b7d-4c2a-8e5f-001122334455", "0F4A1C3E-9B7D-4C2A-8E5F-001122334455"])
    func id_whenOfAUUIDsText_isRead(text: String) {
        #expect(UUID(exactly: text)?.uuidString.lowercased() == text.lowercased())
    }

    /// FoundationEssentials reads the first five.
    @Test(arguments: [
        "0f4a1c3e-9b7d-4c2a-8e5f--01122334455", "0f4a1c3e-9b7d-4c2a-8e5f-0011223344 5",
        "0x4a1c3e-9b7d-4c2a-8e5f-001122334455", "+f4a1c3e-9b7d-4c2a-8e5f-001122334455",
        " f4a1c3e-9b7d-4c2a-8e5f-001122334455", "0f4a1c3e-9b7d-4c2a-8e5f-001122334455a",
        "0f4a1c3e-9b7d-4c2a-8e5f-00112233445", "0f4a1c3e9b7d4c2a8e5f001122334455", "",
    ]) func id_whenOfAnotherText_isNone(text: String) { #expect(UUID(exactly: text) == nil) }
}
