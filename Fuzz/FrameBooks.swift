import HTTP2

/// Reads the frames of both directions by their layout alone (RFC 9113 section 4.1), and checks the client's
/// completions.
struct FrameBooks {
    private var incoming = FrameReader(preface: 0)
    // "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" (section 3.4).
    private var outgoing = FrameReader(preface: 24)
    /// Streams whose END_STREAM was offered to the socket.
    private var ended: Set<UInt32> = []
    /// Streams that the server refused (RST_STREAM with code 7).
    private var refused: Set<UInt32> = []
    /// The lowest last stream of the server's GOAWAYs.
    private var last: UInt32?
    /// Streams on which HEADERS arrived.
    private var answered: Set<UInt32> = []
    private var tags: Set<UInt64> = []
    private var seen = 0

    /// How many completions were checked.
    var checked: UInt64 { UInt64(tags.count) }

    mutating func receive(_ bytes: UnsafeRawBufferPointer) {
        incoming.read(bytes) { type, _, stream, payload in
            switch type {
            case 1: answered.insert(stream)
            case 3 where payload.count == 4 && payload[3] == 7 && payload[..<3].allSatisfy { $0 == 0 }:
                refused.insert(stream)
            case 7 where payload.count >= 8:
                let id = payload[..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
                last = min(last ?? .max, id)
            default: break
            }
        }
    }

    mutating func offered(_ bytes: UnsafeRawBufferPointer) {
        outgoing.read(bytes) { type, flags, stream, _ in
            if type <= 1, flags & 1 != 0 { ended.insert(stream) }
        }
    }

    /// Requests begin in the order of their tags, so tag n has stream 2n - 1.
    mutating func check(_ completions: [Completion]) {
        for completion in completions[seen...] {
            let stream = UInt32(completion.tag * 2 - 1)
            require(tags.insert(completion.tag).inserted, "tag \(completion.tag) completes twice")
            switch completion.result {
            case .response: require(answered.contains(stream), "an answer on \(stream) that nobody gave")
            case .unsent(let reason):
                // The server had the whole request, so it is only unsent if the server says so.
                guard ended.contains(stream) else { continue }
                let isSaid = refused.contains(stream) || (last.map { $0 < stream } ?? false)
                require(isSaid, "stream \(stream) was written, and is unsent as \(reason)")
            case .unknown(let reason):
                if reason == .connectionLost || reason == .closed {
                    require(ended.contains(stream), "stream \(stream) was never written, and is unknown")
                }
            }
        }
        seen = completions.count
    }
}

/// Cuts a byte stream into frames.
struct FrameReader {
    private var held: [UInt8] = []
    private var skips: Int

    init(preface: Int) { skips = preface }

    mutating func read(_ bytes: UnsafeRawBufferPointer, _ frame: (UInt8, UInt8, UInt32, ArraySlice<UInt8>) -> Void) {
        held += bytes
        let dropped = min(skips, held.count)
        skips -= dropped
        var place = dropped
        while place + 9 <= held.count {
            let length = held[place..<place + 3].reduce(0) { $0 << 8 | Int($1) }
            guard place + 9 + length <= held.count else { break }
            let stream = held[(place + 5)..<(place + 9)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
            // Copied, so that its indices begin at 0.
            let payload = Array(held[(place + 9)..<(place + 9 + length)])
            frame(held[place + 3], held[place + 4], stream, payload[...])
            place += 9 + length
        }
        held.removeFirst(place)
    }
}
