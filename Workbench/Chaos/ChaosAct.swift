/// Something that the simulated Apple does to a connection, or to all, whatever is asked on it just then.
public enum ChaosAct: Sendable, Equatable {
    /// SETTINGS with so many streams, and 1,000 again after the milliseconds.
    case streams(UInt32, for: Int)
    /// SETTINGS with an initial window of 0: bodies wait in the middle. Opened again after the milliseconds.
    case window(for: Int)
    /// Reads nothing for the milliseconds.
    case deaf(for: Int)
    /// Takes every push of one connection (or takes none) and answers none, for the milliseconds.
    case mute(takes: Bool, for: Int)
    /// Answers every push on every connection with this status, for the milliseconds.
    case storm(status: Int, for: Int)
    /// The two GOAWAYs of RFC 9113 section 6.8.
    case shutdown
    /// FIN.
    case close
    /// A TCP reset.
    case reset
    /// Bytes of no use to anybody.
    case garbage(ChaosGarbage)
    /// All connections end, new ones are refused for the milliseconds.
    case refuse(for: Int)
    /// The sender is given its configuration anew: its connections end in good order.
    case reconfigure

    /// What the report counts it as.
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
