import CNGHTTP2
import Glibc

/// nghttp2's callbacks on the server's side. The context is the `ServerSession`, which outlives its nghttp2 session.
enum ServerCallbacks {
    static func install(in callbacks: OpaquePointer?) {
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, serverBeginHeaders)
        nghttp2_session_callbacks_set_on_header_callback(callbacks, serverHeader)
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, serverData)
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, serverFrame)
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, serverStreamClosed)
    }

    static let readReply: nghttp2_data_source_read_callback = serverReadReply
}

private func serverSession(_ context: UnsafeMutableRawPointer?) -> ServerSession? {
    context.map { Unmanaged<ServerSession>.fromOpaque($0).takeUnretainedValue() }
}

private func serverBeginHeaders(
    _ handle: OpaquePointer?,
    _ frame: UnsafePointer<nghttp2_frame>?,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let session = serverSession(context), let frame else { return 0 }
    // Trailers begin a header block too, but their stream already has a slot.
    if session.slot(of: frame.pointee.hd.stream_id) == nil {
        session.counters.begun += 1
        session.openStream(frame.pointee.hd.stream_id)
    }
    return 0
}

private func serverHeader(
    _ handle: OpaquePointer?,
    _ frame: UnsafePointer<nghttp2_frame>?,
    _ name: UnsafePointer<UInt8>?,
    _ nameLength: Int,
    _ value: UnsafePointer<UInt8>?,
    _ valueLength: Int,
    _ flags: UInt8,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let session = serverSession(context), let frame, let index = session.slot(of: frame.pointee.hd.stream_id)
    else { return 0 }
    let name = UnsafeRawBufferPointer(start: name, count: nameLength)
    let value = UnsafeRawBufferPointer(start: value, count: valueLength)
    session.slots[index].headers.append(name, value)
    return 0
}

private func serverData(
    _ handle: OpaquePointer?,
    _ flags: UInt8,
    _ stream: Int32,
    _ data: UnsafePointer<UInt8>?,
    _ length: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let session = serverSession(context), let index = session.slot(of: stream) else { return 0 }
    session.slots[index].body.append(contentsOf: UnsafeBufferPointer(start: data, count: length))
    return 0
}

private func serverFrame(
    _ handle: OpaquePointer?,
    _ frame: UnsafePointer<nghttp2_frame>?,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let session = serverSession(context), let frame else { return 0 }
    let header = frame.pointee.hd
    switch UInt32(header.type) {
    case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue:
        if header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0, let index = session.slot(of: header.stream_id) {
            session.requestEnded(index)
        }
    case NGHTTP2_RST_STREAM.rawValue:
        session.counters.resetsReceived += 1
    case NGHTTP2_PING.rawValue:
        if header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0 {
            session.counters.pingsReceived += 1
        } else {
            session.counters.pongsReceived += 1
            session.pongReceived()
        }
    default:
        break
    }
    return 0
}

private func serverStreamClosed(
    _ handle: OpaquePointer?,
    _ stream: Int32,
    _ code: UInt32,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    if let session = serverSession(context), let index = session.slot(of: stream) { session.closeStream(index) }
    return 0
}

private func serverReadReply(
    _ handle: OpaquePointer?,
    _ stream: Int32,
    _ buffer: UnsafeMutablePointer<UInt8>?,
    _ capacity: Int,
    _ flags: UnsafeMutablePointer<UInt32>?,
    _ source: UnsafeMutablePointer<nghttp2_data_source>?,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    let abort = Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
    guard let session = serverSession(context), let buffer, let flags, let source else { return abort }
    let index = Int(bitPattern: source.pointee.ptr) - 1
    guard session.slots.indices.contains(index), session.slots[index].streamID == stream else { return abort }
    let offset = session.slots[index].replyOffset
    let total = session.slots[index].reply.count
    let count = min(capacity, total - offset)
    if count == 0, session.slots[index].isUnfinished { return Int(NGHTTP2_ERR_DEFERRED.rawValue) }
    session.slots[index].reply.withUnsafeBytes { reply in
        if let start = reply.baseAddress { memcpy(buffer, start + offset, count) }
    }
    session.slots[index].replyOffset = offset + count
    if offset + count == total, !session.slots[index].isUnfinished {
        flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue)
    }
    return count
}
