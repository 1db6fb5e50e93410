import CNGHTTP2
import HTTP2

private let noFlags = UInt8(NGHTTP2_FLAG_NONE.rawValue)

/// One connection's HTTP/2 on the server's side: bytes in, requests out; replies in, bytes out.
///
/// Not Sendable: only the server's thread uses it. nghttp2 holds it unretained, until `deinit` ends its session.
final class ServerSession {
    let connection: ServerConnection
    let onRequest: (ServerRequest, ServerSession) -> Void
    var handle: OpaquePointer?
    /// By stream id.
    var streams: [Int32: ServerStream] = [:]
    var output = OutputBuffer()
    var raw: [UInt8] = []
    var hasFailed = false
    /// Debug data of the second GOAWAY, which follows when the PING comes back; nil if no shutdown has begun.
    var shutdownDebug: String?
    let counters: LiveCounters

    init?(
        _ configuration: ServerConfiguration,
        _ connection: ServerConnection,
        _ counters: LiveCounters,
        onRequest: @escaping (ServerRequest, ServerSession) -> Void
    ) {
        self.connection = connection
        self.counters = counters
        self.onRequest = onRequest
        var callbacks: OpaquePointer?
        var options: OpaquePointer?
        guard nghttp2_session_callbacks_new(&callbacks) == 0 else { return nil }
        defer { nghttp2_session_callbacks_del(callbacks) }
        guard nghttp2_option_new(&options) == 0 else { return nil }
        defer { nghttp2_option_del(options) }
        ServerCallbacks.install(in: callbacks)
        nghttp2_option_set_no_closed_streams(options, 1)
        nghttp2_option_set_no_auto_ping_ack(options, configuration.answersPings ? 0 : 1)
        nghttp2_option_set_no_auto_window_update(options, configuration.updatesWindows ? 0 : 1)
        let context = Unmanaged.passUnretained(self).toOpaque()
        guard nghttp2_session_server_new2(&handle, callbacks, context, options) == 0 else { return nil }
        submitSettings(
            maxConcurrentStreams: configuration.maxConcurrentStreams,
            initialWindowSize: configuration.initialWindowSize
        )
        let window = Int32(clamping: max(configuration.connectionWindowSize, 65_535))
        nghttp2_session_set_local_window_size(handle, noFlags, 0, window)
    }

    deinit { nghttp2_session_del(handle) }

    /// Whether the HTTP/2 session has ended and everything is written.
    var isSpent: Bool {
        raw.isEmpty && output.isEmpty && nghttp2_session_want_read(handle) == 0
            && nghttp2_session_want_write(handle) == 0
    }

    func submitSettings(maxConcurrentStreams: UInt32? = nil, initialWindowSize: UInt32? = nil) {
        let settings: [(key: nghttp2_settings_id, value: UInt32?)] = [
            (NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, maxConcurrentStreams),
            (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, initialWindowSize),
        ]
        let entries = settings.compactMap { key, value in
            value.map { nghttp2_settings_entry(settings_id: Int32(key.rawValue), value: $0) }
        }
        nghttp2_submit_settings(handle, noFlags, entries, entries.count)
    }

    func openWindow(by bytes: Int32) { nghttp2_submit_window_update(handle, noFlags, 0, bytes) }

    func submitGoAway(lastStreamID: Int32, code: UInt32, debug: String) {
        let bytes = Array(debug.utf8)
        nghttp2_submit_goaway(handle, noFlags, lastStreamID, code, bytes, bytes.count)
    }

    /// Sends the first of two GOAWAYs, and a PING. Its answer shows that the client has seen the first.
    func beginShutdown(debug: String) {
        shutdownDebug = debug
        submitGoAway(lastStreamID: .max, code: 0, debug: debug)
        nghttp2_submit_ping(handle, noFlags, nil)
    }

    func pongReceived() {
        guard let debug = shutdownDebug else { return }
        shutdownDebug = nil
        submitGoAway(lastStreamID: nghttp2_session_get_last_proc_stream_id(handle), code: 0, debug: debug)
    }

    func receive(_ bytes: UnsafeRawBufferPointer) {
        let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        if nghttp2_session_mem_recv(handle, start, bytes.count) < 0 { hasFailed = true }
    }

    func fill() {
        while !output.isFull, !hasFailed {
            var frame: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(handle, &frame)
            if count > 0, let frame {
                hasFailed = !output.append(frame, count)
            } else if count < 0 {
                hasFailed = true
            } else {
                guard !raw.isEmpty else { return }
                let part = min(raw.count, OutputBuffer.record)
                raw.withUnsafeBytes { bytes in
                    if let start = bytes.baseAddress { _ = output.append(start, part) }
                }
                raw.removeFirst(part)
            }
        }
    }

    func requestEnded(_ id: Int32) {
        guard let stream = streams[id] else { return }
        onRequest(ServerRequest(streamID: id, headers: stream.headers, body: stream.body), self)
    }
}

struct ServerStream {
    var headers = HeaderFields()
    var body: [UInt8] = []
    /// What is left to write of the reply's body.
    var reply: ArraySlice<UInt8> = []
    var isUnfinished = false
}

extension ServerSession {
    /// Performs the reply at once; the caller handles its delay. Does nothing if the stream is closed.
    func perform(_ reply: ServerReply, on stream: Int32) {
        guard streams[stream] != nil else { return }
        switch reply {
        case .respond(let status, let headers, let body): respond(stream, status, headers, body, isUnfinished: false)
        case .unfinished(let status, let body): respond(stream, status, HeaderFields(), body, isUnfinished: true)
        case .informational(let status, let then):
            withFields(status, HeaderFields()) { fields, count in
                nghttp2_submit_headers(handle, noFlags, stream, nil, fields, count, nil)
            }
            perform(then, on: stream)
        case .reset(let code): nghttp2_submit_rst_stream(handle, noFlags, stream, code)
        case .silence: break
        case .delayed: preconditionFailure("a delay is the outermost part of a reply")
        }
    }

    private func respond(_ stream: Int32, _ status: Int, _ headers: HeaderFields, _ body: [UInt8], isUnfinished: Bool) {
        streams[stream]?.reply = body[...]
        streams[stream]?.isUnfinished = isUnfinished
        withFields(status, headers) { fields, count in
            guard !body.isEmpty || isUnfinished else {
                return nghttp2_submit_response(handle, stream, fields, count, nil)
            }
            var provider = nghttp2_data_provider()
            provider.read_callback = ServerCallbacks.readReply
            return nghttp2_submit_response(handle, stream, fields, count, &provider)
        }
    }

    /// Calls `use` with `:status` and the fields in nghttp2's form. nghttp2 copies them.
    private func withFields(_ status: Int, _ headers: HeaderFields, _ use: (UnsafePointer<nghttp2_nv>?, Int) -> Int32) {
        let all = [(name: ":status", value: "\(status)")] + headers.all
        var bytes = all.flatMap { Array($0.name.utf8) + Array($0.value.utf8) }
        // nghttp2 takes non-const pointers but doesn't write to them.
        bytes.withUnsafeMutableBufferPointer { bytes in
            guard var place = bytes.baseAddress else { return }
            let fields = all.map { name, value -> nghttp2_nv in
                let (length, count) = (name.utf8.count, value.utf8.count)
                defer { place += length + count }
                let flags = UInt8(NGHTTP2_NV_FLAG_NONE.rawValue)
                return nghttp2_nv(name: place, value: place + length, namelen: length, valuelen: count, flags: flags)
            }
            _ = use(fields, fields.count)
        }
    }
}
