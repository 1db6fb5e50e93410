import APNs
import FoundationEssentials
import Seeded

/// The pushes of a run. Each is a function of seed and number.
enum ChaosPush {
    /// - Parameter now: milliseconds of CLOCK_BOOTTIME.
    static func append(_ number: UInt64, to pushes: inout PushBatch, seed: UInt64, now: Int64) {
        var random = SplitMix64(seed: seed &+ number &* 0xD134_2543_DE82_EF95)
        let dice = Int.random(in: 0..<1_000, using: &random)
        // Some bodies fill a window, one in a thousand is too long. Some pushes expire while they wait or are half
        // written.
        let size = dice < 30 ? 4_080 : dice == 30 ? 4_097 : 40 + dice / 4
        let patience: Int64 = dice >= 960 ? Int64.random(in: 1...60, using: &random) : 3_000
        let digits = String(number, radix: 16)
        pushes.append(
            token: String(repeating: "0", count: 64 - digits.count) + digits,
            expiration: 1_795_300_000 + Int64(dice % 3),
            apnsID: id(number, seed: seed),
            collapseID: PushIdentity.CollapseID(seed, number),
            writeBy: now + patience
        ) { $0 += payload(size) }
    }

    /// The seed, then the number, both big endian.
    static func id(_ number: UInt64, seed: UInt64) -> UUID {
        var words = (seed.bigEndian, number.bigEndian)
        return withUnsafeBytes(of: &words) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    static func number(of id: UUID) -> UInt64 {
        withUnsafeBytes(of: id.uuid) { UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self)) }
    }

    private static func payload(_ size: Int) -> [UInt8] {
        var bytes = Array("{\"aps\":{\"alert\":\"".utf8)
        bytes.append(contentsOf: repeatElement(UInt8(ascii: "x"), count: max(0, size - bytes.count - 3)))
        bytes.append(contentsOf: "\"}}".utf8)
        return bytes
    }
}
