import Seeded

extension DemoDevice {
    /// One to three devices.
    static func drawAll(start: Int64, _ generator: inout SplitMix64) -> [DemoDevice] {
        let count = generator.pick(weighted: [(1, 70), (2, 22), (3, 8)]) ?? 1
        return (0..<count).map { _ in draw(start: start, &generator) }
    }

    private static func draw(start: Int64, _ generator: inout SplitMix64) -> DemoDevice {
        let day: Int64 = 86_400
        // At least two days ago, because the day may start up to an hour after the real clock.
        let registeredAt = start - Int64(generator.number(2 * 86_400...400 * 86_400))
        let token = generator.hex(64)
        let platform = generator.chance(20) ? "android" : generator.chance(100) ? "ipados" : "ios"
        let kind = generator.number(0...999)
        switch kind {
        // Uninstalled: Apple answers 410, and the token is to be deleted.
        case 0..<20:
            return DemoDevice(
                token: token,
                platform: platform,
                registeredAt: registeredAt,
                answer: .unregistered(since: registeredAt + day)
            )
        // Uninstalled, then installed again: the token stays.
        case 20..<24:
            return DemoDevice(
                token: token,
                platform: platform,
                registeredAt: registeredAt,
                answer: .unregistered(since: registeredAt - day)
            )
        case 24..<27: return DemoDevice(token: token, platform: platform, registeredAt: registeredAt, answer: .badToken)
        case 27..<30: return DemoDevice(token: token, platform: platform, registeredAt: registeredAt, answer: .busyOnce)
        case 30..<32:
            return DemoDevice(token: token, platform: platform, registeredAt: registeredAt, answer: .troubledOnce)
        // What some apps store: a description of the token instead of its bytes.
        case 32..<35:
            let printed = "{length=32,bytes=0x\(token.prefix(8))...\(token.suffix(8))}"
            return DemoDevice(token: printed, platform: platform, registeredAt: registeredAt, answer: .accepted)
        default: return DemoDevice(token: token, platform: platform, registeredAt: registeredAt, answer: .accepted)
        }
    }
}
