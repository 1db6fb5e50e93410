import APNs
import APNsSimulator
import FoundationEssentials
import Seeded

enum ChaosPush {
    /// - Parameter now: milliseconds of CLOCK_BOOTTIME.
    static func append(_ number: UInt64, to pushes: inout PushBatch, seed: UInt64, now: Int64) {
        var random = SplitMix64(seed: seed &+ number &* 0xD134_2543_DE82_EF95)
        let dice = Int.random(in: 0..<1_000, using: &random)
        // Some bodies fill a window, one in a thousand is too long. Some pushes expire while they wait.
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

/// The simulated Apple's answer to one push: a function of seed, push and attempt, so no race can change it.
enum ChaosAnswer {
    /// - Parameter attempt: how many requests for this push came before.
    static func of(_ number: UInt64, attempt: UInt8, seed: UInt64) -> ScriptedAnswer {
        var random = SplitMix64(seed: seed ^ (number &* 0x9E37_79B9_7F4A_7C15) ^ UInt64(attempt) << 56)
        let dice = Int.random(in: 0..<10_000, using: &random)
        switch dice {
        case 0..<300: return refusal(dice, &random)
        case 300..<412: return trouble(dice, &random)
        case 412..<700: return .delay(.milliseconds(Int.random(in: 1...900, using: &random)), then: .accept)
        case 700..<705: return .delay(.seconds(3), then: .accept)
        case 705..<710: return .delay(.milliseconds(200), then: .answer(status: 429, reason: "TooManyRequests"))
        default: return .accept
        }
    }

    private static func refusal(_ dice: Int, _ random: inout SplitMix64) -> ScriptedAnswer {
        switch dice {
        case 0..<60: .unregistered(timestamp: 1_788_000_000_000)
        case 60..<90: .answer(status: 410, reason: "ExpiredToken")
        case 90..<110: .answer(status: 400, reason: "BadDeviceToken")
        case 110..<140: .answer(status: 400, reason: "BadCollapseId")
        case 140..<200:
            .answer(status: 429, reason: "TooManyRequests", retryAfter: Bool.random(using: &random) ? 5 : nil)
        case 200..<240: .answer(status: 500, reason: "InternalServerError")
        case 240..<280: .answer(status: 503, reason: "ServiceUnavailable")
        case 280..<283: .answer(status: 503, reason: "Shutdown")
        case 283..<286: .answer(status: 400, reason: "IdleTimeout")
        case 286..<290: .rawBody(status: 410, bytes: Array("<html>gone</html>".utf8))
        case 290..<294: .rawBody(status: 410, bytes: Array("{\"reason\":\"Unregis".utf8))
        case 294..<296: .rawBody(status: 400, bytes: [UInt8](repeating: 0x41, count: 100_000))
        default: .rawBody(status: 502, bytes: [])
        }
    }

    private static func trouble(_ dice: Int, _ random: inout SplitMix64) -> ScriptedAnswer {
        switch dice {
        case 300..<320: .silence
        case 320..<340: .accepted(then: .silence)
        case 340..<350: .accepted(then: .unfinished(status: 200, bytes: []))
        // REFUSED_STREAM promises that the server did nothing, so it never follows an accepted push.
        case 350..<380: .reset(code: 7)
        case 380..<390: .reset(code: [0, 1, 2, 5, 8, 11].randomElement(using: &random) ?? 2)
        case 390..<400: .accepted(then: .reset(code: 8))
        case 400..<402: .accepted(then: .closeTCP)
        case 402..<404: .close
        default:
            Bool.random(using: &random)
                ? .goAway(.afterThis, reason: "Chaos", then: .accept)
                : .goAway(.beforeThis, reason: "Chaos", then: .silence)
        }
    }
}
