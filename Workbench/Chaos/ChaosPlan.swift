import Seeded

/// The acts and their times: an endless sequence, the same for the same seed.
public struct ChaosPlan: Sequence, IteratorProtocol, Sendable {
    /// One line of the plan.
    public struct Line: Sendable, Equatable {
        /// Milliseconds after the previous line.
        public let gap: Int
        /// What is done.
        public let act: ChaosAct
        /// The open connection that it is done to, modulo their number at that moment.
        public let connection: Int
    }

    private var random: SplitMix64

    /// The plan for a seed.
    public init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    /// The next line; never nil.
    public mutating func next() -> Line? {
        let gap = Int.random(in: 20...800, using: &random)
        let connection = Int.random(in: 0...999, using: &random)
        return Line(gap: gap, act: act(), connection: connection)
    }

    private mutating func act() -> ChaosAct {
        let dice = Int.random(in: 0..<100, using: &random)
        let span = Int.random(in: 50...1_200, using: &random)
        switch dice {
        case 0..<22: return .streams([0, 1, 3, 50].randomElement(using: &random) ?? 1, for: span)
        case 22..<34: return .window(for: span)
        case 34..<42: return .deaf(for: span)
        case 42..<50: return .mute(takes: Bool.random(using: &random), for: span)
        case 50..<52: return .storm(status: Bool.random(using: &random) ? 500 : 503, for: span / 4)
        case 52..<66: return .shutdown
        case 66..<74: return .close
        case 74..<84: return .reset
        case 84..<95: return .garbage(ChaosGarbage.allCases.randomElement(using: &random) ?? .oversized)
        case 95..<97: return .refuse(for: span)
        default: return .reconfigure
        }
    }
}
