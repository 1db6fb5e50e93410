import CNGHTTP2

extension ClientSession {
    /// The most bytes of a request's own head.
    private static var maximumHead: Int { 8_192 }

    /// Begins the next waiting request, if a stream is free; false where none was begun.
    func beginNext(now: UInt64) -> Bool {
        guard let capacity, streams.count < capacity, goaway == nil, !isDraining, violation == nil else { return false }
        guard nghttp2_session_get_next_stream_id(handle) <= UInt32(Int32.max) else {
            // A thousand million requests have used the stream ids up (RFC 9113 section 5.1.1): finish, as if drained.
            isDraining = true
            returnQueue(.connectionLost)
            return false
        }
        while let request = queue.popFirst() {
            if let writeBy = request.writeBy, writeBy <= boottime {
                completions.append(Completion(tag: request.tag, result: .unsent(.tooLate)))
            } else if submit(request, now: now) {
                return true
            } else {
                completions.append(Completion(tag: request.tag, result: .unsent(.malformed)))
            }
        }
        return false
    }

    private func submit(_ request: Request, now: UInt64) -> Bool {
        guard request.head.count <= Self.maximumHead, request.pathLength > 0 else { return false }
        let stream = Int32(bitPattern: nghttp2_session_get_next_stream_id(handle))
        guard stream > 0 else { return false }
        let deadline = now + UInt64(configuration.requestDeadline)
        let index = streams.open(stream: stream, request: request, deadline: deadline)
        var provider = nghttp2_data_provider()
        provider.source.ptr = UnsafeMutableRawPointer(bitPattern: index + 1)
        provider.read_callback = ClientCallbacks.readBody
        let context = UnsafeMutableRawPointer(bitPattern: index + 1)
        let code = withFields(of: request) { count in
            request.body.isEmpty
                ? nghttp2_submit_request(handle, nil, scratch, count, nil, context)
                : nghttp2_submit_request(handle, nil, scratch, count, &provider, context)
        }
        guard code == stream else {
            streams.close(index)
            return false
        }
        return true
    }

    /// Lays the request's fields out in `scratch`; their number is good only within `body`.
    private func withFields(of request: Request, _ body: (Int) -> Int32) -> Int32 {
        let template = request.template
        if scratchTemplate !== template {
            // A template has at least four fields, so its buffer has an address.
            guard let fields = template.fields.baseAddress else { return -1 }
            scratch.update(from: fields, count: template.fixedCount)
            scratchTemplate = template
        }
        return request.head.withUnsafeBufferPointer { head in
            // nghttp2 copies the values, only names and fixed values stay where they are; it doesn't write to either.
            guard let start = UnsafeMutablePointer(mutating: head.baseAddress) else { return -1 }
            scratch[RequestTemplate.pathIndex].value = start
            scratch[RequestTemplate.pathIndex].valuelen = request.pathLength
            var count = template.fixedCount
            var offset = request.pathLength
            while offset + 3 <= head.count, count < 128 {
                let length = Int(head[offset + 1]) << 8 | Int(head[offset + 2])
                scratch[count] = template.fields[template.fixedCount + Int(head[offset])]
                scratch[count].value = start + offset + 3
                scratch[count].valuelen = length
                offset += 3 + length
                count += 1
            }
            return body(count)
        }
    }

    /// The stream has ended, by whatever side and for whatever reason (RFC 9113 section 7).
    func streamClosed(_ index: Int, stream: Int32, code: UInt32) {
        let slot = streams[index]
        finish(index, slot.isTooLate ? .unsent(.tooLate) : result(of: slot, stream: stream, code: code))
    }

    private func result(of slot: StreamSlot, stream: Int32, code: UInt32) -> RequestResult {
        if slot.hasHeaders { return answer(of: slot) }
        // The server's word that it didn't process the stream outweighs that all of it was written (RFC 9113 sections 6.8 and 8.7).
        if let goaway, stream > goaway.lastStreamID { return .unsent(.goaway) }
        if code == UInt32(NGHTTP2_REFUSED_STREAM.rawValue) { return .unsent(.refused) }
        // What was put out will be written even if it waits yet, so it can't be unsent.
        return slot.isProduced ? .unknown(.reset(code: code)) : .unsent(.reset(code: code))
    }

    private func answer(of slot: StreamSlot) -> RequestResult {
        let response = Response(
            status: slot.status,
            headers: slot.headers,
            body: slot.answer,
            isTruncated: slot.isTruncated || !slot.hasEnded
        )
        return .response(response)
    }

    private func finish(_ index: Int, _ result: RequestResult) {
        completions.append(Completion(tag: streams[index].tag, result: result))
        streams.close(index)
    }

    /// Ends a stream on our side at once; whatever still comes for it is ignored.
    func cancel(_ index: Int, _ result: RequestResult) {
        let stream = streams[index].streamID
        if ending == index { ending = -1 }
        nghttp2_session_set_stream_user_data(handle, stream, nil)
        nghttp2_submit_rst_stream(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, UInt32(NGHTTP2_CANCEL.rawValue))
        finish(index, result)
    }

    /// Cuts an answer off: it is longer than is kept, or it was whole before the request was.
    func cutOff(_ index: Int) {
        cancel(index, answer(of: streams[index]))
    }

    /// Ends what is over its deadline or its `writeBy`.
    func expire(now: UInt64) {
        while streams.first >= 0, streams[Int(streams.first)].deadline <= now {
            let index = Int(streams.first)
            let slot = streams[index]
            if slot.hasHeaders {
                cancel(index, answer(of: slot))
            } else {
                cancel(index, slot.isProduced ? .unknown(.deadline) : .unsent(.deadline))
            }
        }
        for request in queue.removeLate(boottime: boottime) {
            completions.append(Completion(tag: request.tag, result: .unsent(.tooLate)))
        }
    }

    /// Completes all that waits for a stream.
    func returnQueue(_ reason: UnsentReason) {
        guard !queue.isEmpty else { return }
        for request in queue.removeAll() {
            completions.append(Completion(tag: request.tag, result: .unsent(reason)))
        }
    }

    /// Completes everything: the connection is no more. Nothing may be written afterwards.
    func abandon(byUs: Bool) {
        returnQueue(byUs ? .closed : goaway != nil ? .goaway : .connectionLost)
        while streams.first >= 0 {
            let index = Int(streams.first)
            let slot = streams[index]
            if slot.hasHeaders {
                finish(index, answer(of: slot))
            } else if slot.endOffset <= output.offered {
                // Offered means: perhaps on the wire, wholly or in part of a record. When in doubt, unknown.
                finish(index, .unknown(byUs ? .closed : .connectionLost))
            } else {
                finish(index, .unsent(byUs ? .closed : .connectionLost))
            }
        }
    }
}
