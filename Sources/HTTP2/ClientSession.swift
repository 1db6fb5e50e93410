import CNGHTTP2

/// The HTTP/2 state of one connection, without I/O. Bytes and the time go in; bytes, events and completions come out.
///
/// Not Sendable: only the connection's thread uses it. Its nghttp2 session, which deinit deletes, holds it unretained.
final class ClientSession {
    let configuration: ClientConfiguration
    var handle: OpaquePointer?
    let streams: StreamTable
    var queue = RequestQueue()
    var output = OutputBuffer()
    var completions: [Completion] = []
    /// Events to deliver before the completions, in order.
    var events: [ClientEvent] = []
    /// The slot whose END_STREAM is in the frame that nghttp2 is making now. -1: none.
    var ending = -1
    /// The time of this wake-up, in milliseconds of CLOCK_BOOTTIME.
    var boottime: UInt64 = 0
    /// How many streams may be open. Nil until the server's first SETTINGS frame. No request starts before, because
    /// Apple's first SETTINGS allow only one stream.
    var capacity: Int?
    var goaway: (lastStreamID: Int32, code: UInt32)?
    /// Whether the stream ids are used up (RFC 9113 section 5.1.1). What is in flight is awaited.
    var isExhausted = false
    /// How the server broke the protocol.
    var violation: String?
    /// nghttp2's text for the latest frame that it refused.
    var lastInvalid: String?
    var budget = FrameBudget()
    /// Whether the violation is a flood of frames that answer no request.
    var isFlooded = false
    var awaitsPong = false

    /// Fields for nghttp2: those of `scratchTemplate`, then this request's.
    let scratch = UnsafeMutablePointer<nghttp2_nv>.allocate(capacity: 128)
    /// Kept, so that its identity and the memory that `scratch` points to stay valid.
    var scratchTemplate: RequestTemplate?

    private let keptFields: [[UInt8]]
    /// The stream of the last lookup and its slot. The callbacks of one answer look up the same stream several times.
    private var lastLook: (stream: Int32, index: Int) = (0, 0)

    init?(configuration: ClientConfiguration) {
        self.configuration = configuration
        keptFields = configuration.keptFields.map { Array($0.utf8) }
        // `capacity` is never more.
        streams = StreamTable(capacity: max(configuration.maximumStreams, 0))
        var callbacks: OpaquePointer?
        guard nghttp2_session_callbacks_new(&callbacks) == 0 else { return nil }
        defer { nghttp2_session_callbacks_del(callbacks) }
        Self.install(in: callbacks)
        let context = Unmanaged.passUnretained(self).toOpaque()
        guard nghttp2_session_client_new(&handle, callbacks, context) == 0 else { return nil }
        // An answer is cut at `maximumBody`, so a stream needs no more. The connection's is for a thousand streams.
        let window = UInt32(clamping: max(configuration.maximumBody + 16_384, 65_535))
        let settings = [
            nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0),
            nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue), value: window),
            nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue), value: 16_384),
        ]
        nghttp2_submit_settings(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), settings, settings.count)
        nghttp2_session_set_local_window_size(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, 1 << 26)
    }

    deinit {
        nghttp2_session_del(handle)
        scratch.deallocate()
    }

    /// Whether nothing more can come from this connection.
    var isSpent: Bool {
        if streams.count > 0 { return violation != nil || nghttp2_session_want_read(handle) == 0 }
        return violation != nil || goaway != nil || isExhausted
    }

    /// The server's SETTINGS arrived. They apply at once, even in the middle of a burst.
    func settingsChanged() {
        let limit = nghttp2_session_get_remote_settings(handle, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
        let now = min(Int(limit), configuration.maximumStreams)
        guard now != capacity else { return }
        events.append(.capacity(now))
        capacity = now
    }

    func ping() {
        awaitsPong = true
        nghttp2_submit_ping(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil)
    }

    /// Sends GOAWAY without an error, on a connection without open streams.
    func sayGoodbye() { nghttp2_session_terminate_session(handle, UInt32(NGHTTP2_NO_ERROR.rawValue)) }

    func receive(_ bytes: UnsafeRawBufferPointer) {
        let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let count = nghttp2_session_mem_recv(handle, start, bytes.count)
        budget.refill(now: boottime)
        budget.pay(for: bytes)
        // nghttp2 itself refuses a flood of PING or SETTINGS in one read.
        if budget.left < 0 || count == Int(NGHTTP2_ERR_FLOODED.rawValue) { flooded() }
        if count < 0, violation == nil {
            violation = String(cString: nghttp2_strerror(Int32(truncatingIfNeeded: count)))
        }
    }

    /// Notes how many bytes TLS has read from the socket so far.
    func noteReceived(_ total: UInt64) {
        budget.refill(now: boottime)
        budget.pay(received: total)
        if budget.left < 0 { flooded() }
    }

    private func flooded() {
        guard violation == nil else { return }
        isFlooded = true
        violation = "too many frames that answer no request"
    }

    /// Fills the output up to a record: first with waiting frames, then with new requests. So a request starts as late
    /// as possible, and its `writeBy` is checked just before its frames are made.
    func fill(now: UInt64) {
        while !output.isFull {
            var frame: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(handle, &frame)
            if count > 0, let frame {
                guard output.append(frame, count) else {
                    violation = violation ?? "a frame is larger than agreed"
                    return
                }
                note(frame, count)
            } else if count < 0 {
                violation = violation ?? String(cString: nghttp2_strerror(Int32(truncatingIfNeeded: count)))
                return
            } else if !beginNext(now: now) {
                return
            }
        }
    }

    /// Records where the request ends, if this frame ends one. RFC 9113 section 4.1 defines the frame header.
    private func note(_ frame: UnsafePointer<UInt8>, _ count: Int) {
        if frame[3] == UInt8(NGHTTP2_GOAWAY.rawValue) {
            // nghttp2 sends GOAWAY with an error if the server broke the protocol; this class only without one.
            let code = count < 17 ? 0 : (13...16).reduce(UInt32(0)) { $0 << 8 | UInt32(frame[$1]) }
            guard code != 0, violation == nil else { return }
            let error = String(cString: nghttp2_http2_strerror(code))
            violation = lastInvalid.map { "\(error): \($0)" } ?? error
        } else if ending >= 0 {
            streams[ending].endOffset = output.produced
            ending = -1
        } else if frame[3] == UInt8(NGHTTP2_HEADERS.rawValue), frame[4] & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 {
            // A request without a body.
            let stream = (5...8).reduce(Int32(0)) { $0 << 8 | Int32(frame[$1] & ($1 == 5 ? 0x7F : 0xFF)) }
            if let index = slot(of: stream) { streams[index].endOffset = output.produced }
        }
    }

    func slot(of stream: Int32) -> Int? {
        // Stream ids are never used again, so a slot that holds this id is the right one.
        if lastLook.stream == stream, streams.holds(lastLook.index, stream: stream) { return lastLook.index }
        guard let context = nghttp2_session_get_stream_user_data(handle, stream) else { return nil }
        // The context is the slot's index plus 1, because index 0 would be a null pointer.
        let index = Int(bitPattern: context) - 1
        lastLook = (stream, index)
        return index
    }

    /// Collects the fields and the body of a stream's answer.
    func content(of index: Int) -> Response.Content {
        if let content = streams[index].content { return content }
        let content = Response.Content()
        streams[index].content = content
        return content
    }

    func keeps(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        keptFields.contains { $0.count == name.count && $0.elementsEqual(name) }
    }
}

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
