import CNGHTTP2

extension ClientSession {
    /// The limit for a request's path and varying fields, in bytes.
    private static var maximumHead: Int { 8_192 }

    /// Starts the next waiting request if a stream is free. Returns false if none was started.
    func beginNext(now: UInt64) -> Bool {
        guard let capacity, streams.count < capacity, goaway == nil, !isDraining, violation == nil else { return false }
        guard nghttp2_session_get_next_stream_id(handle) <= UInt32(Int32.max) else {
            // About a thousand million requests have used up the stream ids (RFC 9113 section 5.1.1). Finish as in a
            // drain.
            isDraining = true
            returnQueue(.connectionLost)
            return false
        }
        while let request = queue.popFirst() {
            if request.writeBy <= boottime {
                completions.append(Completion(tag: request.tag, result: .unsent(.tooLate)))
            } else if submit(request, now: now) {
                return true
            } else {
                completions.append(Completion(tag: request.tag, result: .unsent(.malformed)))
            }
            queue.release(request.batch)
        }
        return false
    }

    /// Starts a request on its own stream. Returns false if it is malformed. The stream's slot keeps the request's
    /// memory.
    private func submit(_ request: RequestQueue.Waiting, now: UInt64) -> Bool {
        let stream = Int32(bitPattern: nghttp2_session_get_next_stream_id(handle))
        guard stream > 0 else { return false }
        let deadline = now + UInt64(configuration.requestDeadline)
        let index = streams.open(stream: stream, tag: request.tag, deadline: deadline)
        if !queue.isTemplate(scratchTemplate, of: request) { take(queue.template(of: request)) }
        let span = queue.span(of: request)
        let code = queue.withBytes(request.batch) { submit(span, $0, to: index) }
        guard code == stream else {
            streams.close(index)
            return false
        }
        streams[index].writeBy = request.writeBy
        streams[index].batch = request.batch
        return true
    }

    /// Copies a template's fixed fields to the start of `scratch`.
    private func take(_ template: RequestTemplate) {
        // A template has at least four fields, so its buffer has an address.
        guard let fields = template.fields.baseAddress else { return }
        scratch.update(from: fields, count: template.fixedCount)
        scratchTemplate = template
    }

    /// Returns the stream that nghttp2 chose, or a negative number if there is none.
    private func submit(
        _ span: RequestTexts.Span,
        _ bytes: UnsafeBufferPointer<UInt8>,
        to index: Int
    ) -> Int32 {
        guard span.headEnd - span.start <= Self.maximumHead, span.pathEnd > span.start,
            let count = layOut(span, bytes)
        else { return -1 }
        // The slot's index plus 1, because index 0 would be a null pointer.
        let context = UnsafeMutableRawPointer(bitPattern: index + 1)
        guard span.end > span.headEnd else {
            return nghttp2_submit_request(handle, nil, scratch, count, nil, context)
        }
        streams[index].bodyStart = span.headEnd
        streams[index].bodyEnd = span.end
        var provider = nghttp2_data_provider()
        provider.source.ptr = context
        provider.read_callback = ClientCallbacks.readBody
        return nghttp2_submit_request(handle, nil, scratch, count, &provider, context)
    }

    /// Puts a request's fields into `scratch` and returns their number.
    ///
    /// nghttp2 copies the values and does not write to them. It uses names and fixed values in place, in the template.
    /// The request's batch keeps the template.
    private func layOut(
        _ span: RequestTexts.Span,
        _ bytes: UnsafeBufferPointer<UInt8>
    ) -> Int? {
        guard let start = UnsafeMutablePointer(mutating: bytes.baseAddress), let template = scratchTemplate else {
            return nil
        }
        scratch[RequestTemplate.pathIndex].value = start + span.start
        scratch[RequestTemplate.pathIndex].valuelen = span.pathEnd - span.start
        var count = template.fixedCount
        var offset = span.pathEnd
        while offset + 3 <= span.headEnd, count < 128 {
            guard Int(bytes[offset]) < template.varying.count else { return nil }
            let length = Int(bytes[offset + 1]) << 8 | Int(bytes[offset + 2])
            scratch[count] = template.fields[template.fixedCount + Int(bytes[offset])]
            scratch[count].value = start + offset + 3
            scratch[count].valuelen = length
            offset += 3 + length
            count += 1
        }
        return count
    }

    /// The stream has ended, by either side and for any reason (RFC 9113 section 7).
    func streamClosed(_ index: Int, stream: Int32, code: UInt32) {
        finish(index, streams[index].isTooLate ? .unsent(.tooLate) : result(of: index, stream: stream, code: code))
    }

    private func result(of index: Int, stream: Int32, code: UInt32) -> RequestResult {
        if streams[index].hasHeaders { return response(of: index) }
        // The server says that it didn't process the stream. So the request is unsent, even if it was completely
        // written (RFC 9113 sections 6.8 and 8.7).
        if let goaway, stream > goaway.lastStreamID { return .unsent(.goaway) }
        if code == UInt32(NGHTTP2_REFUSED_STREAM.rawValue) { return .unsent(.refused) }
        // Bytes in the output will still be written, so the request can't be unsent.
        return streams[index].isProduced ? .unknown(.reset(code: code)) : .unsent(.reset(code: code))
    }

    private func response(of index: Int) -> RequestResult {
        let isTruncated = streams[index].isTruncated || !streams[index].hasEnded
        let status = Int(streams[index].status)
        guard let answer = streams[index].answer else {
            return .response(Response(status: status, isTruncated: isTruncated))
        }
        let response = Response(
            status: status,
            headers: answer.headers,
            body: answer.body,
            isTruncated: isTruncated
        )
        return .response(response)
    }

    private func finish(_ index: Int, _ result: RequestResult) {
        budget.requestEnded()
        completions.append(Completion(tag: streams[index].tag, result: result))
        queue.release(streams[index].batch)
        streams.close(index)
    }

    /// Ends a stream from this side at once. Whatever still arrives for it is ignored.
    func cancel(_ index: Int, _ result: RequestResult) {
        let stream = streams[index].streamID
        if ending == index { ending = -1 }
        nghttp2_session_set_stream_user_data(handle, stream, nil)
        nghttp2_submit_rst_stream(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, UInt32(NGHTTP2_CANCEL.rawValue))
        finish(index, result)
    }

    /// Cuts an answer off because it is too long, or because it was complete before the request was.
    func cutOff(_ index: Int) {
        cancel(index, response(of: index))
    }

    /// Ends requests whose deadline or `writeBy` has passed.
    func expire(now: UInt64) {
        while streams.first >= 0, streams[Int(streams.first)].deadline <= now {
            let index = Int(streams.first)
            if streams[index].hasHeaders {
                cancel(index, response(of: index))
            } else {
                cancel(index, streams[index].isProduced ? .unknown(.deadline) : .unsent(.deadline))
            }
        }
        for request in queue.removeLate(boottime: boottime) {
            completions.append(Completion(tag: request.tag, result: .unsent(.tooLate)))
        }
    }

    /// Completes all requests that wait for a stream.
    func returnQueue(_ reason: UnsentReason) {
        guard !queue.isEmpty else { return }
        for request in queue.removeAll() {
            completions.append(Completion(tag: request.tag, result: .unsent(reason)))
        }
    }

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
