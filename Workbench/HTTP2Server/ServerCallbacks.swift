import CNGHTTP2
import Glibc

/// nghttp2's callbacks on the server's side. The context is the `ServerSession`, which outlives its nghttp2 session.
enum ServerCallbacks {
    static func install(in callbacks: OpaquePointer?) {
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, context in
            guard let served = session(context), let frame else { return 0 }
            // Trailers begin a header block too, but their stream already has a slot.
            if served.slot(of: frame.pointee.hd.stream_id) == nil {
                served.counters.now.begun += 1
                served.openStream(frame.pointee.hd.stream_id)
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) { _, frame, name, size, value, count, _, context in
            guard let served = session(context), let frame, let index = served.slot(of: frame.pointee.hd.stream_id)
            else { return 0 }
            let name = UnsafeRawBufferPointer(start: name, count: size)
            served.slots[index].headers.append(name, UnsafeRawBufferPointer(start: value, count: count))
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, stream, data, length, context in
            guard let served = session(context), let index = served.slot(of: stream) else { return 0 }
            served.slots[index].body.append(contentsOf: UnsafeBufferPointer(start: data, count: length))
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, context in
            if let served = session(context), let frame { received(frame.pointee.hd, served) }
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, _, context in
            guard let served = session(context), let index = served.slot(of: stream) else { return 0 }
            served.slots[index] = ServerStream()
            served.free.append(index)
            return 0
        }
    }

    static let readReply: nghttp2_data_source_read_callback = { _, stream, buffer, capacity, flags, source, context in
        let abort = Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
        guard let served = session(context), let buffer, let flags, let source else { return abort }
        let index = Int(bitPattern: source.pointee.ptr) - 1
        guard served.slots.indices.contains(index), served.slots[index].streamID == stream else { return abort }
        let offset = served.slots[index].replyOffset
        let total = served.slots[index].reply.count
        let count = min(capacity, total - offset)
        if count == 0, served.slots[index].isUnfinished { return Int(NGHTTP2_ERR_DEFERRED.rawValue) }
        served.slots[index].reply.withUnsafeBytes { reply in
            if let start = reply.baseAddress { memcpy(buffer, start + offset, count) }
        }
        served.slots[index].replyOffset = offset + count
        if offset + count == total, !served.slots[index].isUnfinished {
            flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue)
        }
        return count
    }
}

// C takes no closure that captures anything, not even the type.

private func session(_ context: UnsafeMutableRawPointer?) -> ServerSession? {
    context.map { Unmanaged<ServerSession>.fromOpaque($0).takeUnretainedValue() }
}

private func received(_ header: nghttp2_frame_hd, _ session: ServerSession) {
    switch UInt32(header.type) {
    case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue:
        if header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0,
            let index = session.slot(of: header.stream_id)
        {
            session.requestEnded(index)
        }
    case NGHTTP2_RST_STREAM.rawValue: session.counters.now.resetsReceived += 1
    case NGHTTP2_PING.rawValue:
        if header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0 {
            session.counters.now.pingsReceived += 1
        } else {
            session.counters.now.pongsReceived += 1
            session.pongReceived()
        }
    default: break
    }
}
