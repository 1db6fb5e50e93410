/// What the simulator does to a connection.
public enum ConnectionAction: Sendable, Equatable {
    /// Closes the connection with FIN, without GOAWAY.
    case close
    /// Resets the TCP connection.
    case resetTCP
    /// The two GOAWAYs of RFC 9113 section 6.8, with `{"reason":…}` as debug data.
    case shutdown(reason: String)
    /// SETTINGS with this MAX_CONCURRENT_STREAMS.
    case streams(UInt32)
    /// Stops reading.
    case stopReading
    /// Reads again.
    case resumeReading
    /// SETTINGS with this INITIAL_WINDOW_SIZE. 0 stops all bodies, also on streams that are open.
    case window(UInt32)
    /// WINDOW_UPDATE for the connection: the client may send this many more bytes.
    case connectionWindow(Int32)
    /// The header of a frame of 100 bytes and three of its bytes, then FIN.
    case truncatedFrame
    /// Any bytes among the frames: none, half a frame, or a frame that breaks the protocol.
    case garbage([UInt8])
}
