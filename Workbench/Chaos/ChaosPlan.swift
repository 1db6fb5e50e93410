import Seeded

/// The acts and their times: an endless sequence, the same for the same seed.
struct ChaosPlan: Sequence, IteratorProtocol, Sendable {
    struct Line: Sendable, Equatable {
        /// Milliseconds after the previous line.
        let gap: Int
        let act: ChaosAct
        /// The open connection that it is done to, modulo their number at that moment.
        let connection: Int
    }

    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func next() -> Line? {
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

/// Something that the simulated Apple does to one connection or to all, independent of requests.
enum ChaosAct: Sendable, Equatable {
    /// SETTINGS with this many streams. After the milliseconds, 1,000 again.
    case streams(UInt32, for: Int)
    /// SETTINGS with an initial window of 0, so bodies stop midway. Opened again after the milliseconds.
    case window(for: Int)
    case deaf(for: Int)
    /// Answers no push of one connection for the milliseconds. `takes`: whether it accepts them.
    case mute(takes: Bool, for: Int)
    /// Answers every push on every connection with this status, for the milliseconds.
    case storm(status: Int, for: Int)
    /// The two GOAWAYs of RFC 9113 section 6.8.
    case shutdown
    case close, reset
    case garbage(ChaosGarbage)
    /// All connections end, and new ones are refused for the milliseconds.
    case refuse(for: Int)
    /// The sender gets its configuration again, so its connections end in good order.
    case reconfigure

    /// Its name in the report: the case's, without its values.
    var name: String { String("\(self)".prefix { $0.isLetter }) }
}

/// Bytes after which a client must close the connection, or that it must ignore.
///
/// None of them is a valid server frame on a stream (RST_STREAM, GOAWAY, HEADERS that decode). Such a frame would be a
/// lie about the push, which no client can detect.
enum ChaosGarbage: UInt64, Sendable, CaseIterable {
    /// A frame far larger than allowed (RFC 9113 section 4.2).
    case oversized
    /// DATA on stream 0 (section 6.1).
    case dataOnZero
    /// A header block that is not HPACK (RFC 7541 section 6: index 0).
    case brokenBlock
    /// SETTINGS with a length that is not a multiple of six (section 6.5).
    case brokenSettings
    /// A connection window over 2^31 - 1 (section 6.9.1).
    case windowOverflow
    case half
    /// A frame of an unknown type, which the client must ignore (section 4.1).
    case unknownType

    var bytes: [UInt8] {
        switch self {
        case .oversized: [0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0xA5, count: 50)
        case .dataOnZero: [0, 0, 4, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]
        case .brokenBlock: [0, 0, 2, 1, 4, 0, 0, 0, 1, 0x80, 0x80]
        case .brokenSettings: [0, 0, 5, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0]
        case .windowOverflow: [0, 0, 4, 8, 0, 0, 0, 0, 0, 0x7F, 0xFF, 0xFF, 0xFF]
        case .half: [0, 0, 100, 0xEE, 0, 0, 0, 0, 0, 1, 2, 3]
        case .unknownType: [0, 0, 5, 0xEE, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5]
        }
    }
}
