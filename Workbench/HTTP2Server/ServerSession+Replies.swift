import CNGHTTP2
import HTTP2

extension ServerSession {
    /// Performs the reply at once; the caller handles its delay. Does nothing if the stream is closed.
    func perform(_ reply: ServerReply, on stream: Int32) {
        guard let index = slot(of: stream) else { return }
        switch reply {
        case .respond(let status, let headers, let body, _):
            respond(index, status, headers, body, isUnfinished: false)
        case .unfinished(let status, let headers, let body, _):
            respond(index, status, headers, body, isUnfinished: true)
        case .informational(let status, let then):
            withFields(status, HeaderFields()) { fields, count in
                nghttp2_submit_headers(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, nil, fields, count, nil)
            }
            perform(then, on: stream)
        case .reset(let code, _):
            nghttp2_submit_rst_stream(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, code)
        case .silence:
            break
        }
    }

    private func respond(_ index: Int, _ status: Int, _ headers: HeaderFields, _ body: [UInt8], isUnfinished: Bool) {
        counters.responses += 1
        let stream = slots[index].streamID
        slots[index].reply = body
        slots[index].replyOffset = 0
        slots[index].isUnfinished = isUnfinished
        withFields(status, headers) { fields, count in
            guard !body.isEmpty || isUnfinished else {
                return nghttp2_submit_response(handle, stream, fields, count, nil)
            }
            var provider = nghttp2_data_provider()
            provider.source.ptr = UnsafeMutableRawPointer(bitPattern: index + 1)
            provider.read_callback = ServerCallbacks.readReply
            return nghttp2_submit_response(handle, stream, fields, count, &provider)
        }
    }

    /// Calls `body` with `:status` and the fields in nghttp2's form. nghttp2 copies them.
    private func withFields(
        _ status: Int,
        _ headers: HeaderFields,
        _ body: (UnsafePointer<nghttp2_nv>?, Int) -> Int32
    ) {
        var name: StaticString { ":status" }
        let digits = (UInt8(48 + status / 100 % 10), UInt8(48 + status / 10 % 10), UInt8(48 + status % 10))
        _ = withUnsafeBytes(of: digits) { digits in
            headers.packed.withUnsafeBytes { packed in
                withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: headers.count + 1) { fields in
                    // nghttp2 takes non-const pointers but doesn't write to them.
                    func field(_ name: UnsafeRawPointer, _ length: Int, _ value: UnsafeRawPointer, _ count: Int)
                        -> nghttp2_nv
                    {
                        nghttp2_nv(
                            name: UnsafeMutablePointer(mutating: name.assumingMemoryBound(to: UInt8.self)),
                            value: UnsafeMutablePointer(mutating: value.assumingMemoryBound(to: UInt8.self)),
                            namelen: length,
                            valuelen: count,
                            flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue)
                        )
                    }
                    guard let start = digits.baseAddress else { return Int32(-1) }
                    fields.initializeElement(at: 0, to: field(name.utf8Start, 7, start, 3))
                    var offset = 0
                    var count = 1
                    while let range = headers.field(at: offset), let base = packed.baseAddress {
                        let name = base + range.name.lowerBound
                        let value = base + range.value.lowerBound
                        fields.initializeElement(at: count, to: field(name, range.name.count, value, range.value.count))
                        offset = range.value.upperBound
                        count += 1
                    }
                    return body(fields.baseAddress, count)
                }
            }
        }
    }
}
