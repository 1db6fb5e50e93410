import Seeded

extension DemoDevice {
    /// One to three devices.
    static func drawAll(start: Int64, _ generator: inout SplitMix64) -> [DemoDevice] {
        let count = generator.pick(weighted: [(1, 70), (2, 22), (3, 8)]) ?? 1
        return (0..<count).map { _ in draw(start: start, &generator) }
    }

    private static func draw(start: Int64, _ generator: inout SplitMix64) -> DemoDevice {
        let day: Int64 = 86_400
        // Registered at least two days ago: the day's start lies up to an hour ahead of the real clock.
        let registeredAt = start - Int64(generator.number(2 * 86_400...400 * 86_400))
        let token = generator.hex(64)
        let platform = generator.chance(20) ? "android" : generator.chance(100) ? "ipados" : "ios"
        let kind = generator.number(0...999)
        switch kind {
        // Uninstalled since: Apple says so, and the token is to go.
        case 0..<20:
            return DemoDevice(
                token: token,
                platform: platform,
                registeredAt: registeredAt,
                answer: .unregistered(since: registeredAt + day)
            )
        // Uninstalled, and installed anew since: the token is to stay.
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
        // What an app stores that prints the object in place of its bytes.
        case 32..<35:
            let printed = "{length=32,bytes=0x\(token.prefix(8))...\(token.suffix(8))}"
            return DemoDevice(token: printed, platform: platform, registeredAt: registeredAt, answer: .accepted)
        default: return DemoDevice(token: token, platform: platform, registeredAt: registeredAt, answer: .accepted)
        }
    }
}
