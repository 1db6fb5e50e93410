import CNGHTTP2

/// nghttp2's callbacks on the server's side. The context is the `ServerSession`, which outlives its nghttp2 session.
enum ServerCallbacks {
    static func install(in callbacks: OpaquePointer?) {
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, context in
            guard let served = session(context), let frame else { return 0 }
            // Trailers begin a header block too, but their stream is already open.
            if served.streams[frame.pointee.hd.stream_id] == nil {
                served.counters.now.withLock { $0.begun += 1 }
                served.streams[frame.pointee.hd.stream_id] = ServerStream()
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) { _, frame, name, size, value, count, _, context in
            guard let served = session(context), let frame else { return 0 }
            let text = String(decoding: UnsafeBufferPointer(start: value, count: count), as: UTF8.self)
            let name = String(decoding: UnsafeBufferPointer(start: name, count: size), as: UTF8.self)
            served.streams[frame.pointee.hd.stream_id]?.headers.append(name, text)
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, stream, data, length, context in
            session(context)?.streams[stream]?.body.append(contentsOf: UnsafeBufferPointer(start: data, count: length))
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, context in
            if let served = session(context), let frame { received(frame.pointee.hd, served) }
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, _, context in
            session(context)?.streams[stream] = nil
            return 0
        }
    }

    static let readReply: nghttp2_data_source_read_callback = { _, id, buffer, capacity, flags, _, context in
        guard let served = session(context), let stream = served.streams[id], let flags else {
            return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
        }
        let part = stream.reply.prefix(capacity)
        if part.isEmpty, stream.isUnfinished { return Int(NGHTTP2_ERR_DEFERRED.rawValue) }
        UnsafeMutableRawBufferPointer(start: buffer, count: capacity).copyBytes(from: part)
        served.streams[id]?.reply = stream.reply[part.endIndex...]
        if part.count == stream.reply.count, !stream.isUnfinished {
            flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue)
        }
        return part.count
    }
}

// C takes no closure that captures anything, not even the type.

private func session(_ context: UnsafeMutableRawPointer?) -> ServerSession? {
    context.map { Unmanaged<ServerSession>.fromOpaque($0).takeUnretainedValue() }
}

private func received(_ header: nghttp2_frame_hd, _ session: ServerSession) {
    switch UInt32(header.type) {
    case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue:
        if header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 { session.requestEnded(header.stream_id) }
    case NGHTTP2_RST_STREAM.rawValue: session.counters.now.withLock { $0.resetsReceived += 1 }
    case NGHTTP2_PING.rawValue:
        if header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0 {
            session.counters.now.withLock { $0.pingsReceived += 1 }
        } else {
            session.counters.now.withLock { $0.pongsReceived += 1 }
            session.pongReceived()
        }
    default: break
    }
}
