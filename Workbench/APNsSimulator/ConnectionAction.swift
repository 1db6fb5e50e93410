/// What the simulator does to a connection.
public enum ConnectionAction: Sendable, Equatable {
    /// Closes by FIN, without GOAWAY.
    case close
    /// Resets the TCP connection.
    case resetTCP
    /// The two GOAWAYs of RFC 9113 section 6.8, with `{"reason":…}` as debug data.
    case shutdown(reason: String)
    /// SETTINGS with this MAX_CONCURRENT_STREAMS.
    case streams(UInt32)
    /// Reads nothing more.
    case stopReading
    /// Reads again.
    case resumeReading
    /// SETTINGS with this INITIAL_WINDOW_SIZE: 0 keeps every body back, also of streams that are open.
    case window(UInt32)
    /// Lets so many bytes more come over all streams together (WINDOW_UPDATE).
    case connectionWindow(Int32)
    /// The head of a frame of 100 bytes and three of them, then FIN.
    case truncatedFrame
    /// Bytes of no matter what among the frames: none at all, half of one, a frame that breaks the protocol.
    case garbage([UInt8])
}
