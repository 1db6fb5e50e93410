import CNGHTTP2

/// One connection's HTTP/2 without the connection: bytes and the time go in, bytes, events and completions come out.
///
/// Not Sendable: the connection's thread alone uses it. It is the user data of its nghttp2 session, unretained: the session ends in deinit.
final class ClientSession {
    let configuration: ClientConfiguration
    var handle: OpaquePointer?
    let streams = StreamTable()
    var queue = RequestQueue()
    var output = OutputBuffer()
    var completions: [Completion] = []
    /// What to tell before the completions, in order.
    var events: [ClientEvent] = []
    /// The slot whose END_STREAM is in the frame that nghttp2 is just making; -1: none.
    var ending = -1
    /// CLOCK_BOOTTIME milliseconds of this wake-up.
    var boottime: UInt64 = 0
    /// How many streams may be open; nil until the server's first SETTINGS frame (Apple's first says 1, so none is begun on a guess).
    var capacity: Int?
    /// The server's newest GOAWAY.
    var goaway: (lastStreamID: Int32, code: UInt32)?
    /// `drain` was called.
    var isDraining = false
    /// What the server did against the protocol.
    var violation: String?
    /// nghttp2's words for the newest frame that it refused.
    var lastInvalid: String?
    /// Whether a PING is out.
    var awaitsPong = false

    /// Fields for nghttp2: those of `scratchTemplate`, then this request's.
    let scratch = UnsafeMutablePointer<nghttp2_nv>.allocate(capacity: 128)
    /// Held, so that its identity and what `scratch` points to stay good.
    var scratchTemplate: RequestTemplate?

    /// What nghttp2 lives in; it goes after `handle`.
    private let memory = SessionMemory()
    /// The names of `ClientConfiguration.keptFields`; nil: all.
    private let keptFields: [[UInt8]]?
    /// The stream that was looked up last, and its slot: the callbacks of an answer ask for the same one several times.
    private var lastLook: (stream: Int32, index: Int) = (0, 0)

    init?(configuration: ClientConfiguration) {
        self.configuration = configuration
        keptFields = configuration.keptFields?.map { Array($0.utf8) }
        var callbacks: OpaquePointer?
        guard nghttp2_session_callbacks_new(&callbacks) == 0 else { return nil }
        defer { nghttp2_session_callbacks_del(callbacks) }
        ClientCallbacks.install(in: callbacks)
        let context = Unmanaged.passUnretained(self).toOpaque()
        var functions = memory.functions
        guard nghttp2_session_client_new3(&handle, callbacks, context, nil, &functions) == 0 else { return nil }
        // Answers are kept up to `maximumBody` and cut off beyond, so no stream needs more of a window; the connection's holds a thousand of them.
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

    /// Whether nothing more can come of this connection.
    var isSpent: Bool {
        if streams.count > 0 { return violation != nil || nghttp2_session_want_read(handle) == 0 }
        return violation != nil || goaway != nil || isDraining
    }

    /// The server's SETTINGS arrived: obeyed as they come, in mid-burst too.
    func settingsChanged() {
        let limit = nghttp2_session_get_remote_settings(handle, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
        let now = min(Int(limit), configuration.maximumStreams)
        guard now != capacity else { return }
        events.append(capacity == nil ? .opened(capacity: now) : .capacity(now))
        capacity = now
    }

    /// The server is going away (RFC 9113 section 6.8). nghttp2 closes the streams above the last one right after this.
    func goawayReceived(lastStreamID: Int32, code: UInt32, debug: String) {
        goaway = (lastStreamID, code)
        events.append(.goaway(lastStreamID: lastStreamID, code: code, debug: debug))
        returnQueue(.goaway)
    }

    /// Asks the server for a sign of life.
    func ping() {
        awaitsPong = true
        nghttp2_submit_ping(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil)
    }

    /// Says GOAWAY without an error, on a connection that has nothing open.
    func sayGoodbye() {
        nghttp2_session_terminate_session(handle, UInt32(NGHTTP2_NO_ERROR.rawValue))
    }

    /// Takes what the server sent.
    func receive(_ bytes: UnsafeRawBufferPointer) {
        let count = nghttp2_session_mem_recv(
            handle,
            bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
            bytes.count
        )
        if count < 0, violation == nil {
            violation = String(cString: nghttp2_strerror(Int32(truncatingIfNeeded: count)))
        }
    }

    /// Fills the output up to a record: first with frames that are waiting, then by beginning requests, each only when its bytes have room.
    ///
    /// So a request is begun as late as can be, and its `writeBy` is asked just before its frames are made.
    func fill(now: UInt64) {
        while !output.isFull {
            var frame: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(handle, &frame)
            if count > 0, let frame {
                guard output.append(frame, count) else {
                    violation = violation ?? "a frame is over the size that was agreed"
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

    /// Remembers where the frame that was just put out ends, if its END_STREAM ends a request. The frame header is laid out by RFC 9113
    /// section 4.1.
    private func note(_ frame: UnsafePointer<UInt8>, _ count: Int) {
        if frame[3] == UInt8(NGHTTP2_GOAWAY.rawValue) {
            // nghttp2 itself says GOAWAY with an error when the server broke the protocol; we say it only without one.
            let code = count < 17 ? 0 : (13...16).reduce(UInt32(0)) { $0 << 8 | UInt32(frame[$1]) }
            guard code != 0, violation == nil else { return }
            violation = [String(cString: nghttp2_http2_strerror(code)), lastInvalid].compactMap { $0 }.joined(
                separator: ": "
            )
        } else if ending >= 0 {
            streams[ending].endOffset = output.produced
            ending = -1
        } else if frame[3] == UInt8(NGHTTP2_HEADERS.rawValue), frame[4] & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 {
            // A request without a body.
            let stream = (5...8).reduce(Int32(0)) { $0 << 8 | Int32(frame[$1] & ($1 == 5 ? 0x7F : 0xFF)) }
            if let index = slot(of: stream) { streams[index].endOffset = output.produced }
        }
    }

    /// The slot of an open stream.
    func slot(of stream: Int32) -> Int? {
        // Numbers of streams are never used again, so a slot that still holds this one is its slot.
        if lastLook.stream == stream, streams.holds(lastLook.index, stream: stream) { return lastLook.index }
        guard let context = nghttp2_session_get_stream_user_data(handle, stream) else { return nil }
        // Slot and 1, so that the first isn't nil.
        let index = Int(bitPattern: context) - 1
        lastLook = (stream, index)
        return index
    }

    /// Where the fields and the body of a stream's answer are gathered.
    func answer(of index: Int) -> StreamAnswer {
        if let answer = streams[index].answer { return answer }
        let answer = StreamAnswer()
        streams[index].answer = answer
        return answer
    }

    /// Whether an answer's field of this name is kept.
    func keeps(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        keptFields?.contains { $0.count == name.count && $0.elementsEqual(name) } ?? true
    }
}
