import CNGHTTP2
import HTTP2

/// One connection's HTTP/2 on the server's side: bytes in, requests out; replies in, bytes out.
///
/// Not Sendable: only the server's thread uses it. nghttp2 holds it unretained as user data; `deinit` ends that
/// session.
final class ServerSession {
    let connection: ServerConnection
    /// Called for each whole request.
    let onRequest: (ServerRequest, ServerSession) -> Void
    var handle: OpaquePointer?
    var slots: [ServerStream] = []
    var free: [Int] = []
    var output = OutputBuffer()
    /// Any bytes, to be written after the frames.
    var raw: [UInt8] = []
    var hasFailed = false
    /// Debug data of the second GOAWAY, which follows when the PING comes back; nil if no shutdown has begun.
    var shutdownDebug: String?
    var counters = ServerCounters()

    init?(
        configuration: ServerConfiguration,
        connection: ServerConnection,
        onRequest: @escaping (ServerRequest, ServerSession) -> Void
    ) {
        self.connection = connection
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
        nghttp2_session_set_local_window_size(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, window)
    }

    deinit { nghttp2_session_del(handle) }

    /// Whether the HTTP/2 session has ended and everything is written.
    var isSpent: Bool {
        raw.isEmpty && output.isEmpty && nghttp2_session_want_read(handle) == 0
            && nghttp2_session_want_write(handle) == 0
    }

    func submitSettings(maxConcurrentStreams: UInt32?, initialWindowSize: UInt32?) {
        var entries: [nghttp2_settings_entry] = []
        if let maxConcurrentStreams {
            let key = Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue)
            entries.append(nghttp2_settings_entry(settings_id: key, value: maxConcurrentStreams))
        }
        if let initialWindowSize {
            let key = Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue)
            entries.append(nghttp2_settings_entry(settings_id: key, value: initialWindowSize))
        }
        nghttp2_submit_settings(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries, entries.count)
    }

    func openWindow(by bytes: Int32) {
        nghttp2_submit_window_update(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, bytes)
    }

    func submitGoAway(lastStreamID: Int32, code: UInt32, debug: String) {
        let bytes = Array(debug.utf8)
        nghttp2_submit_goaway(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), lastStreamID, code, bytes, bytes.count)
    }

    /// Sends the first of two GOAWAYs, and a PING. Its answer shows that the client has seen the first.
    func beginShutdown(debug: String) {
        shutdownDebug = debug
        submitGoAway(lastStreamID: .max, code: 0, debug: debug)
        nghttp2_submit_ping(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil)
    }

    func pongReceived() {
        guard let debug = shutdownDebug else { return }
        shutdownDebug = nil
        submitGoAway(lastStreamID: nghttp2_session_get_last_proc_stream_id(handle), code: 0, debug: debug)
    }

    func receive(_ bytes: UnsafeRawBufferPointer) {
        let count = nghttp2_session_mem_recv(
            handle,
            bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
            bytes.count
        )
        if count < 0 { hasFailed = true }
    }

    /// Fills the output until it is full or nothing is left to send.
    func fill() {
        while !output.isFull {
            var frame: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(handle, &frame)
            if count > 0, let frame {
                guard output.append(frame, count) else {
                    hasFailed = true
                    return
                }
            } else if count < 0 {
                hasFailed = true
                return
            } else if !raw.isEmpty {
                let part = min(raw.count, OutputBuffer.record)
                raw.withUnsafeBytes { bytes in
                    if let start = bytes.baseAddress { _ = output.append(start, part) }
                }
                raw.removeFirst(part)
            } else {
                return
            }
        }
    }

    /// The slot of an open stream; nil if it is closed.
    func slot(of stream: Int32) -> Int? {
        guard let context = nghttp2_session_get_stream_user_data(handle, stream) else { return nil }
        return Int(bitPattern: context) - 1
    }

    func openStream(_ stream: Int32) {
        let index: Int
        if let last = free.popLast() {
            index = last
        } else {
            index = slots.count
            slots.append(ServerStream())
        }
        slots[index].streamID = stream
        nghttp2_session_set_stream_user_data(handle, stream, UnsafeMutableRawPointer(bitPattern: index + 1))
    }

    func closeStream(_ index: Int) {
        slots[index] = ServerStream()
        free.append(index)
    }

    func requestEnded(_ index: Int) {
        counters.requests += 1
        let slot = slots[index]
        let request = ServerRequest(
            connectionID: connection.id,
            streamID: slot.streamID,
            headers: slot.headers,
            body: slot.body
        )
        onRequest(request, self)
    }
}
