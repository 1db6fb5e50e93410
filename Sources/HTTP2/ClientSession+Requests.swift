import CNGHTTP2

extension ClientSession {
    private static var maximumHead: Int { 8_192 }

    /// Starts the next waiting request if a stream is free. Returns false if none was started.
    func beginNext(now: UInt64) -> Bool {
        guard let capacity, streams.count < capacity, goaway == nil, !isExhausted, violation == nil
        else { return false }
        guard nghttp2_session_get_next_stream_id(handle) <= UInt32(Int32.max) else {
            // After about a thousand million requests.
            isExhausted = true
            returnQueue(.connectionLost)
            return false
        }
        while let (submission, slot) = queue.popFirst() {
            if submission.batch.slots[slot].writeBy <= boottime {
                complete(submission.tag(slot), .unsent(.tooLate))
            } else if submit(submission, slot, now: now) {
                return true
            } else {
                complete(submission.tag(slot), .unsent(.malformed))
            }
        }
        return false
    }

    /// Starts a request on its own stream. Returns false if it is malformed.
    private func submit(_ submission: Submission, _ slot: Int, now: UInt64) -> Bool {
        let stream = Int32(bitPattern: nghttp2_session_get_next_stream_id(handle))
        guard stream > 0 else { return false }
        let deadline = now + UInt64(configuration.requestDeadline)
        let index = streams.open(stream: stream, tag: submission.tag(slot), deadline: deadline)
        // A template has at least four fields, so its buffer has an address.
        if scratchTemplate !== submission.template, let fields = submission.template.fields.baseAddress {
            scratch.update(from: fields, count: submission.template.fixedCount)
            scratchTemplate = submission.template
        }
        let request = submission.batch.slots[slot]
        let code = submission.batch.bytes.withUnsafeBufferPointer { submit(request, $0, to: index) }
        guard code == stream else {
            streams.close(index)
            return false
        }
        streams[index].writeBy = request.writeBy
        streams[index].submission = submission
        return true
    }

    /// Returns the stream that nghttp2 chose; negative: there is none. nghttp2 copies values. It uses names and fixed
    /// values in place, in the template, which the submission keeps.
    private func submit(_ request: RequestBatch.Slot, _ bytes: UnsafeBufferPointer<UInt8>, to index: Int) -> Int32 {
        guard request.headEnd - request.start <= Self.maximumHead, request.pathEnd > request.start,
            let start = UnsafeMutablePointer(mutating: bytes.baseAddress), let template = scratchTemplate
        else { return -1 }
        scratch[RequestTemplate.pathIndex].value = start + request.start
        scratch[RequestTemplate.pathIndex].valuelen = request.pathEnd - request.start
        var count = template.fixedCount
        var offset = request.pathEnd
        while offset + 3 <= request.headEnd, count < 128 {
            let field = template.fixedCount + Int(bytes[offset])
            guard field < template.fields.count else { return -1 }
            let length = Int(bytes[offset + 1]) << 8 | Int(bytes[offset + 2])
            scratch[count] = template.fields[field]
            scratch[count].value = start + offset + 3
            scratch[count].valuelen = length
            offset += 3 + length
            count += 1
        }
        // The slot's index plus 1, because index 0 would be a null pointer.
        let context = UnsafeMutableRawPointer(bitPattern: index + 1)
        guard request.end > request.headEnd else {
            return nghttp2_submit_request(handle, nil, scratch, count, nil, context)
        }
        streams[index].bodyStart = request.headEnd
        streams[index].bodyEnd = request.end
        var provider = nghttp2_data_provider()
        provider.source.ptr = context
        provider.read_callback = Self.readBody
        return nghttp2_submit_request(handle, nil, scratch, count, &provider, context)
    }

    /// The stream has ended, by either side and for any reason (RFC 9113 section 7).
    func streamClosed(_ stream: Int32, code: UInt32) {
        guard let index = slot(of: stream) else { return }
        finish(index, streams[index].isTooLate ? .unsent(.tooLate) : result(of: index, stream: stream, code: code))
    }

    private func result(of index: Int, stream: Int32, code: UInt32) -> RequestResult {
        if streams[index].hasHeaders { return response(of: index) }
        // The server says that it didn't process the stream, even if it has all of it (RFC 9113 sections 6.8 and 8.7).
        if let goaway, stream > goaway.lastStreamID { return .unsent(.goaway) }
        if code == UInt32(NGHTTP2_REFUSED_STREAM.rawValue) { return .unsent(.refused) }
        // Bytes in the output will still be written, so the request can't be unsent.
        return streams[index].isProduced ? .unknown(.reset(code: code)) : .unsent(.reset(code: code))
    }

    private func response(of index: Int) -> RequestResult {
        if !streams[index].hasEnded { content(of: index).isTruncated = true }
        return .response(Response(status: Int(streams[index].status), streams[index].content))
    }

    private func complete(_ tag: UInt64, _ result: RequestResult) {
        completions.append(Completion(tag: tag, result: result))
    }

    private func finish(_ index: Int, _ result: RequestResult) {
        budget.requestEnded()
        complete(streams[index].tag, result)
        streams.close(index)
    }

    /// Ends a stream from this side at once. Whatever still arrives for it is ignored.
    private func cancel(_ index: Int, _ result: RequestResult) {
        let stream = streams[index].streamID
        if ending == index { ending = -1 }
        nghttp2_session_set_stream_user_data(handle, stream, nil)
        nghttp2_submit_rst_stream(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, UInt32(NGHTTP2_CANCEL.rawValue))
        finish(index, result)
    }

    /// Cuts an answer off because it is too long, or because it was complete before the request was.
    func cutOff(_ index: Int) { cancel(index, response(of: index)) }

    /// Ends requests whose time is over, and those that wait on a connection that starts nothing more.
    func expire(now: UInt64) {
        while streams.first >= 0, streams[Int(streams.first)].deadline <= now {
            let index = Int(streams.first)
            if streams[index].hasHeaders {
                cutOff(index)
            } else {
                cancel(index, streams[index].isProduced ? .unknown(.deadline) : .unsent(.deadline))
            }
        }
        if isExhausted { returnQueue(.connectionLost) } else if goaway != nil { returnQueue(.goaway) }
        for tag in queue.removeLate(boottime: boottime) { complete(tag, .unsent(.tooLate)) }
    }

    private func returnQueue(_ reason: UnsentReason) { for tag in queue.removeAll() { complete(tag, .unsent(reason)) } }

    /// Completes everything because the connection has ended. Nothing may be written afterwards.
    func abandon(byUs: Bool) {
        returnQueue(byUs ? .closed : goaway != nil ? .goaway : .connectionLost)
        while streams.first >= 0 {
            let index = Int(streams.first)
            if streams[index].hasHeaders {
                finish(index, response(of: index))
            } else if streams[index].endOffset <= output.offered {
                // Offered bytes may be on the wire, perhaps only a part of a record. In doubt the outcome is unknown.
                finish(index, .unknown(byUs ? .closed : .connectionLost))
            } else {
                finish(index, .unsent(byUs ? .closed : .connectionLost))
            }
        }
    }
}
