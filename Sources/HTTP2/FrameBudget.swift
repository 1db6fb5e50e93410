/// Limits the work that a server causes without answering requests: by 1xx answers, PING, SETTINGS, WINDOW_UPDATE,
/// PRIORITY, empty DATA or unknown frames without end.
///
/// Frames cost, requests that end pay, and time refills slowly. It reads only each frame's length and type (RFC 9113
/// section 4.1), so it counts those that nghttp2 ignores. TLS costs too: records of a byte, messages without data.
struct FrameBudget {
    /// What a frame costs besides its bytes. Bytes of DATA cost a sixteenth: they are only copied.
    static let fixedCost = 8
    /// The longest frame that a server may send us (RFC 9113 section 4.2).
    private static let longest = 16_384
    /// Enough for 32,768 empty frames at once.
    static let most = 262_144
    /// Enough for 1,000 empty frames a second.
    private static let perMillisecond = 8
    /// An answer of Apple's and the updates of both windows cost less than 250, in a TLS record each.
    private static let perRequest = 512
    /// More than TLS keeps of bytes that it hasn't decrypted yet.
    private static let buffered: UInt64 = 131_072

    /// Below zero: the server sent too much.
    private(set) var left = FrameBudget.most
    private var refilledAt: UInt64 = 0
    /// The last four bytes of frame headers that were read, and how many belong to the present header.
    private var header: UInt32 = 0
    private var headerCount = 0
    /// The bytes of the present frame that are still to come.
    private var rest = 0
    /// The plain bytes so far, and what was paid for TLS.
    private var plain: UInt64 = 0
    private var paid: UInt64 = 0

    mutating func requestEnded() { left += Self.perRequest }

    /// Refills for the time until `now`, in milliseconds.
    mutating func refill(now: UInt64) {
        let passed = Int(min(max(now, refilledAt) - refilledAt, 1 << 20))
        refilledAt = max(now, refilledAt)
        left = min(left + passed * Self.perMillisecond, Self.most)
    }

    /// Pays for what TLS added. `received`: All bytes that came from the socket so far.
    mutating func pay(received: UInt64) {
        let free = plain + Self.buffered + paid
        guard received > free else { return }
        left -= Int(clamping: received - free)
        paid += received - free
    }

    mutating func pay(for bytes: UnsafeRawBufferPointer) {
        plain += UInt64(bytes.count)
        var place = 0
        while place < bytes.count {
            if rest > 0 {
                let skipped = min(rest, bytes.count - place)
                rest -= skipped
                place += skipped
                continue
            }
            // Three bytes of length and one of type. Five more bytes of the header follow.
            header = header << 8 | UInt32(bytes[place])
            headerCount += 1
            place += 1
            guard headerCount == 4 else { continue }
            headerCount = 0
            let length = Int(header >> 8)
            let isData = header & 0xFF == 0
            // A longer frame is an error, with which the session ends.
            let cost = min(length, Self.longest)
            left -= Self.fixedCost + (isData ? cost / 16 : cost)
            rest = length + 5
        }
    }
}
