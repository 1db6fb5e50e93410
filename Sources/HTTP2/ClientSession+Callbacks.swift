import CNGHTTP2
import Glibc

/// Runs `body` on the callback's session. Without a context, which never happens, it returns `otherwise`.
///
/// It skips reference counting, because a push needs about twelve callbacks. This is safe: nghttp2 calls back only
/// within a call of the session, whose caller holds the session.
private func withSession<Result>(
    _ context: UnsafeMutableRawPointer?,
    otherwise: Result,
    _ body: (ClientSession) -> Result
) -> Result {
    guard let context else { return otherwise }
    return Unmanaged<ClientSession>.fromOpaque(context)._withUnsafeGuaranteedRef(body)
}

extension ClientSession {
    /// nghttp2's C functions call back with the `ClientSession` as their context.
    static func install(in callbacks: OpaquePointer?) {
        nghttp2_session_callbacks_set_on_header_callback(callbacks) { _, frame, name, length, value, size, _, context in
            guard let frame, let name, let value else { return 0 }
            let field = UnsafeBufferPointer(start: name, count: length)
            let content = UnsafeBufferPointer(start: value, count: size)
            withSession(context, otherwise: ()) { $0.takeField(frame.pointee.hd.stream_id, field, content) }
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, stream, data, length, context in
            let data = UnsafeBufferPointer(start: data, count: length)
            withSession(context, otherwise: ()) { $0.takeBody(stream, data) }
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, context in
            guard let frame else { return 0 }
            withSession(context, otherwise: ()) { $0.takeFrame(frame) }
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, code, context in
            withSession(context, otherwise: ()) { $0.streamClosed(stream, code: code) }
            return 0
        }
        nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks) { _, _, code, context in
            // nghttp2 resets the stream (RFC 9113 section 5.4.2). The text is for a connection that ends because of it.
            withSession(context, otherwise: ()) { $0.lastInvalid = String(cString: nghttp2_strerror(code)) }
            return 0
        }
    }

    /// nghttp2 asks for the next part of a body. The source is the slot's index plus 1.
    static let readBody: nghttp2_data_source_read_callback = { _, stream, buffer, capacity, flags, source, context in
        let abort = Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
        guard let buffer, let flags, let source else { return abort }
        let index = Int(bitPattern: source.pointee.ptr) - 1
        return withSession(context, otherwise: abort) { session in
            guard let count = session.copyBody(of: index, stream, to: buffer, capacity) else { return abort }
            if session.ending == index { flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue) }
            return count
        }
    }

    /// Returns how many bytes were copied. Nil: the stream must be aborted.
    private func copyBody(of index: Int, _ stream: Int32, to buffer: UnsafeMutablePointer<UInt8>, _ room: Int) -> Int? {
        guard streams.holds(index, stream: stream) else { return nil }
        if streams[index].writeBy <= boottime {
            // HEADERS were in time, but the body had to wait for a window. The server never gets all of it.
            streams[index].isTooLate = true
            return nil
        }
        let start = streams[index].bodyStart
        let count = min(room, streams[index].bodyEnd - start)
        streams[index].submission?.batch.bytes.withUnsafeBufferPointer { bytes in
            if let from = bytes.baseAddress { memcpy(buffer, from + start, count) }
        }
        streams[index].bodyStart = start + count
        if start + count == streams[index].bodyEnd { ending = index }
        return count
    }

    private func takeField(_ stream: Int32, _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
        guard let index = slot(of: stream) else { return }
        if name.first == UInt8(ascii: ":") {
            // Only :status, with three digits. nghttp2 checks both (RFC 9113 section 8.3.2).
            var status: Int32 = 0
            for digit in value.prefix(3) { status = status * 10 + Int32(digit &- 48) }
            streams[index].status = status
            return
        }
        guard !streams[index].hasHeaders, streams[index].status >= 200, keeps(name) else { return }
        content(of: index).add(field: String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
    }

    private func takeBody(_ stream: Int32, _ data: UnsafeBufferPointer<UInt8>) {
        guard let index = slot(of: stream) else { return }
        let content = content(of: index)
        let room = configuration.maximumBody - content.body.count
        content.body.append(contentsOf: data.prefix(room))
        if data.count > room { cutOff(index) }
    }

    private func takeFrame(_ frame: UnsafePointer<nghttp2_frame>) {
        let header = frame.pointee.hd
        let isAcknowledged = header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0
        switch UInt32(header.type) {
        case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue:
            guard let index = slot(of: header.stream_id) else { return }
            if streams[index].status >= 200 { streams[index].hasHeaders = true }
            guard header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 else { return }
            streams[index].hasEnded = true
            // The answer is complete before the request is (RFC 9113 section 8.1), so the rest isn't sent.
            if !streams[index].isProduced { cutOff(index) }
        case NGHTTP2_SETTINGS.rawValue: if !isAcknowledged { settingsChanged() }
        case NGHTTP2_PING.rawValue: if isAcknowledged { awaitsPong = false }
        case NGHTTP2_GOAWAY.rawValue:
            // RFC 9113 section 6.8. nghttp2 closes the streams above the last one right after this.
            let sent = frame.pointee.goaway
            let debug = UnsafeBufferPointer(start: sent.opaque_data, count: min(sent.opaque_data_len, 1_024))
            let text = String(decoding: debug, as: UTF8.self)
            goaway = (sent.last_stream_id, sent.error_code)
            events.append(.goaway(code: sent.error_code, debug: text))
        default: break
        }
    }
}
