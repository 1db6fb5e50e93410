/// Something that the simulated Apple does to one connection or to all, independent of requests.
public enum ChaosAct: Sendable, Equatable {
    /// SETTINGS with this many streams. After the milliseconds, 1,000 again.
    case streams(UInt32, for: Int)
    /// SETTINGS with an initial window of 0, so bodies stop midway. Opened again after the milliseconds.
    case window(for: Int)
    /// Reads nothing for the milliseconds.
    case deaf(for: Int)
    /// Answers no push of one connection for the milliseconds. `takes`: whether it accepts them.
    case mute(takes: Bool, for: Int)
    /// Answers every push on every connection with this status, for the milliseconds.
    case storm(status: Int, for: Int)
    /// The two GOAWAYs of RFC 9113 section 6.8.
    case shutdown
    /// FIN.
    case close
    /// A TCP reset.
    case reset
    /// Bytes that break the protocol or mean nothing.
    case garbage(ChaosGarbage)
    /// All connections end, and new ones are refused for the milliseconds.
    case refuse(for: Int)
    /// The sender gets its configuration again, so its connections end in good order.
    case reconfigure

    /// Its name in the report.
    public var name: String {
        switch self {
        case .streams: "streams"
        case .window: "window"
        case .deaf: "deaf"
        case .mute: "mute"
        case .storm: "storm"
        case .shutdown: "shutdown"
        case .close: "close"
        case .reset: "reset"
        case .garbage: "garbage"
        case .refuse: "refuse"
        case .reconfigure: "reconfigure"
        }
    }
}
