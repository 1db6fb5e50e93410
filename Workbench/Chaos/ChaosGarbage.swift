/// Bytes that no client can go on after, or that it has to leave alone.
///
/// None of them can be read as a server's word on a stream (RST_STREAM, GOAWAY, HEADERS that decode): that would be a lie
/// about what became of a push, and not the client's to find out.
public enum ChaosGarbage: UInt64, Sendable, CaseIterable {
    /// A frame far over the largest size (RFC 9113 section 4.2).
    case oversized
    /// DATA on stream 0 (section 6.1).
    case dataOnZero
    /// A header block that is no HPACK (RFC 7541 section 6: index 0).
    case brokenBlock
    /// SETTINGS of a length that is no multiple of six (section 6.5).
    case brokenSettings
    /// A window over 2^31 - 1 for the connection (section 6.9.1).
    case windowOverflow
    /// The head of a frame and part of it; the rest never comes.
    case half
    /// A frame of a type that nobody knows: to be ignored (section 4.1).
    case unknownType

    /// The bytes; frame headers are laid out by RFC 9113 section 4.1.
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
