import CNGHTTP2
import Glibc

/// The callbacks that nghttp2 calls in a client. The context is the `ClientSession`, which outlives its nghttp2
/// session.
enum ClientCallbacks {
    static func install(in callbacks: OpaquePointer?) {
        nghttp2_session_callbacks_set_on_header_callback(callbacks, clientHeader)
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, clientData)
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, clientFrame)
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, clientStreamClosed)
        nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks, clientInvalidFrame)
    }

    static let readBody: nghttp2_data_source_read_callback = clientReadBody
}

/// Runs `body` on the callback's session. Returns `otherwise` without a context, which never happens.
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

private func clientReadBody(
    _ handle: OpaquePointer?,
    _ stream: Int32,
    _ buffer: UnsafeMutablePointer<UInt8>?,
    _ capacity: Int,
    _ flags: UnsafeMutablePointer<UInt32>?,
    _ source: UnsafeMutablePointer<nghttp2_data_source>?,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    let abort = Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
    guard let buffer, let flags, let source else { return abort }
    return withSession(context, otherwise: abort) { session in
        readBody(session, stream, UnsafeMutableBufferPointer(start: buffer, count: capacity), flags, source)
    }
}

private func readBody(
    _ session: ClientSession,
    _ stream: Int32,
    _ buffer: UnsafeMutableBufferPointer<UInt8>,
    _ flags: UnsafeMutablePointer<UInt32>,
    _ source: UnsafeMutablePointer<nghttp2_data_source>
) -> Int {
    let abort = Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
    let index = Int(bitPattern: source.pointee.ptr) - 1
    guard session.streams.holds(index, stream: stream) else { return abort }
    if session.streams[index].writeBy <= session.boottime {
        // HEADERS were written in time, but the body had to wait for a window. The server never gets the whole request.
        session.streams[index].isTooLate = true
        return abort
    }
    let start = session.streams[index].bodyStart
    let count = min(buffer.count, session.streams[index].bodyEnd - start)
    session.queue.withBytes(session.streams[index].batch) { bytes in
        if let from = bytes.baseAddress, let to = buffer.baseAddress { memcpy(to, from + start, count) }
    }
    session.streams[index].bodyStart = start + count
    if start + count == session.streams[index].bodyEnd {
        flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue)
        session.ending = index
    }
    return count
}

private func clientHeader(
    _ handle: OpaquePointer?,
    _ frame: UnsafePointer<nghttp2_frame>?,
    _ name: UnsafePointer<UInt8>?,
    _ nameLength: Int,
    _ value: UnsafePointer<UInt8>?,
    _ valueLength: Int,
    _ flags: UInt8,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame, let name, let value else { return 0 }
    let field = UnsafeBufferPointer(start: name, count: nameLength)
    let content = UnsafeBufferPointer(start: value, count: valueLength)
    withSession(context, otherwise: ()) { takeField($0, frame.pointee.hd.stream_id, field, content) }
    return 0
}

private func takeField(
    _ session: ClientSession,
    _ stream: Int32,
    _ name: UnsafeBufferPointer<UInt8>,
    _ value: UnsafeBufferPointer<UInt8>
) {
    guard let index = session.slot(of: stream) else { return }
    if name.first == UInt8(ascii: ":") {
        // The only pseudo-header field of an answer is :status, with three digits. nghttp2 checks both (RFC 9113
        // section 8.3.2).
        var status: Int32 = 0
        for digit in value.prefix(3) { status = status * 10 + Int32(digit &- 48) }
        session.streams[index].status = status
        return
    }
    guard !session.streams[index].hasHeaders, session.streams[index].status >= 200, session.keeps(name) else { return }
    let answer = session.answer(of: index)
    if answer.headers.size + name.count + value.count + 4 <= 8_192 {
        answer.headers.append(UnsafeRawBufferPointer(name), UnsafeRawBufferPointer(value))
    }
}

private func clientData(
    _ handle: OpaquePointer?,
    _ flags: UInt8,
    _ stream: Int32,
    _ data: UnsafePointer<UInt8>?,
    _ length: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let data else { return 0 }
    withSession(context, otherwise: ()) { takeBody($0, stream, UnsafeBufferPointer(start: data, count: length)) }
    return 0
}

private func takeBody(_ session: ClientSession, _ stream: Int32, _ data: UnsafeBufferPointer<UInt8>) {
    guard let index = session.slot(of: stream) else { return }
    let answer = session.answer(of: index)
    let room = session.configuration.maximumBody - answer.body.count
    answer.body.append(contentsOf: data.prefix(room))
    if data.count > room {
        session.streams[index].isTruncated = true
        session.cutOff(index)
    }
}

private func clientFrame(
    _ handle: OpaquePointer?,
    _ frame: UnsafePointer<nghttp2_frame>?,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame else { return 0 }
    withSession(context, otherwise: ()) { takeFrame($0, frame) }
    return 0
}

private func takeFrame(_ session: ClientSession, _ frame: UnsafePointer<nghttp2_frame>) {
    let header = frame.pointee.hd
    switch UInt32(header.type) {
    case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue:
        guard let index = session.slot(of: header.stream_id) else { return }
        if session.streams[index].status >= 200 { session.streams[index].hasHeaders = true }
        guard header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 else { return }
        session.streams[index].hasEnded = true
        // The answer is complete before the request is (RFC 9113 section 8.1), so the rest isn't sent.
        if !session.streams[index].isProduced { session.cutOff(index) }
    case NGHTTP2_SETTINGS.rawValue:
        if header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0 { session.settingsChanged() }
    case NGHTTP2_PING.rawValue:
        if header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0 { session.awaitsPong = false }
    case NGHTTP2_GOAWAY.rawValue:
        let goaway = frame.pointee.goaway
        let debug = UnsafeBufferPointer(start: goaway.opaque_data, count: min(goaway.opaque_data_len, 1_024))
        let text = String(decoding: debug, as: UTF8.self)
        session.goawayReceived(lastStreamID: goaway.last_stream_id, code: goaway.error_code, debug: text)
    default:
        break
    }
}

private func clientStreamClosed(
    _ handle: OpaquePointer?,
    _ stream: Int32,
    _ code: UInt32,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    withSession(context, otherwise: ()) { session in
        if let index = session.slot(of: stream) { session.streamClosed(index, stream: stream, code: code) }
    }
    return 0
}

private func clientInvalidFrame(
    _ handle: OpaquePointer?,
    _ frame: UnsafePointer<nghttp2_frame>?,
    _ code: Int32,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    // nghttp2 resets the stream after a stream error (RFC 9113 section 5.4.2). The text is used only if the connection
    // ends because of it.
    withSession(context, otherwise: ()) { $0.lastInvalid = String(cString: nghttp2_strerror(code)) }
    return 0
}
