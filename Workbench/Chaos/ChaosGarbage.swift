/// Bytes after which a client must close the connection, or that it must ignore.
///
/// None of them is a valid server frame on a stream (RST_STREAM, GOAWAY, HEADERS that decode). Such a frame would be a
/// lie about the push, which no client can detect.
public enum ChaosGarbage: UInt64, Sendable, CaseIterable {
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
    /// The header of a frame and part of it; the rest never comes.
    case half
    /// A frame of an unknown type, which the client must ignore (section 4.1).
    case unknownType

    /// The bytes, with frame headers as in RFC 9113 section 4.1.
    public var bytes: [UInt8] {
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
