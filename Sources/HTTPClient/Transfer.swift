import CLibCurl

/// An option of libcurl for a transfer.
enum TransferOption: Equatable {
    case number(CURLoption, Int)
    /// Nil clears the option.
    case text(CURLoption, String?)

    func set(on easy: UnsafeMutableRawPointer, _ curl: UnsafePointer<nudged_curl>) throws(HTTPClientError) {
        let (option, result) =
            switch self {
            case .number(let option, let value): (option, nudged_curl_set_number(curl, easy, option, value))
            case .text(let option, let value): (option, nudged_curl_set_text(curl, easy, option, value))
            }
        guard result == CURLE_OK else { throw HTTPClientError(.library, "libcurl refuses option \(option.rawValue)") }
    }

    /// The options for every transfer. `left`: The time until the call's deadline.
    static func all(for request: HTTPRequest, _ settings: HTTPClientSettings, left: Duration) -> [TransferOption] {
        let options: [TransferOption] = [
            .text(CURLOPT_URL, request.url.text),
            .text(CURLOPT_PROTOCOLS_STR, "http,https"),
            .number(CURLOPT_FOLLOWLOCATION, 0),
            // One connection for each call, so a broken one fails only one call. With multiplexing, libcurl 7.88 loses
            // a few POSTs in ten thousand to its own errors.
            .number(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
            .text(CURLOPT_USERAGENT, "nudged"),
            // Divided among the server's addresses; `CallQueue` enforces the deadline. 0 would mean five minutes.
            .number(CURLOPT_CONNECTTIMEOUT_MS, max(1, Int(left / .milliseconds(1)))),
            // No signals: they belong to the process, and this is only one of its threads.
            .number(CURLOPT_NOSIGNAL, 1),
            // A silent resolver's thread is left alone and frees its memory when it ends. Otherwise the client's thread
            // would wait for it, past the deadline and with all other calls.
            .number(CURLOPT_QUICK_EXIT, 1),
            // Most servers and load balancers drop connections that are idle for a minute, some without a notice.
            .number(CURLOPT_MAXAGE_CONN, 50),
            .number(CURLOPT_TCP_KEEPALIVE, 1),
            // No `https_proxy` or the like (libcurl-env(3)): a service's environment must not redirect a token.
            .text(CURLOPT_PROXY, ""),
            .number(CURLOPT_SSL_VERIFYPEER, 1),
            // 2: the certificate must name the host. 1 meant less in old versions.
            .number(CURLOPT_SSL_VERIFYHOST, 2),
            .number(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
            // For TLS 1.2: ECDHE and AEAD, as towards Apple. The suites of TLS 1.3 are all of this kind.
            .text(CURLOPT_SSL_CIPHER_LIST, "ECDHE+AESGCM:ECDHE+CHACHA20"),
        ]
        guard let caFile = settings.caFile else { return options }
        // libcurl also has a default folder of certificates, and would trust those too.
        return options + [.text(CURLOPT_CAINFO, caFile), .text(CURLOPT_CAPATH, nil)]
    }
}

/// One running call: libcurl's easy handle and the part of the answer so far. Only the client's thread uses it.
final class Transfer {
    let call: Call
    /// libcurl's handle, owned by this object. Remove it from the multi handle before this object is freed.
    let easy: UnsafeMutableRawPointer
    private let curl: UnsafePointer<nudged_curl>
    private var fields: UnsafeMutablePointer<curl_slist>?
    private var body: [UInt8] = []
    private var taken = 0
    /// Whether the empty line after the fields has come.
    private var isHeadWhole = false
    private let settings: HTTPClientSettings

    init(_ call: Call, _ settings: HTTPClientSettings, now: ContinuousClock.Instant) throws(HTTPClientError) {
        let curl = try LibCurl.loaded()
        guard let easy = curl.pointee.easy_init() else {
            throw HTTPClientError(.resources, "no memory left for \(call.request)")
        }
        (self.call, self.easy) = (call, easy)
        (self.curl, self.settings) = (curl, settings)
        for option in TransferOption.all(for: call.request, settings, left: call.deadline - now) {
            try option.set(on: easy, curl)
        }
        for field in call.request.fields {
            guard let longer = curl.pointee.slist_append(fields, field) else {
                throw HTTPClientError(.resources, "no memory left for \(call.request)")
            }
            fields = longer
        }
        let isBodySet = call.request.body.map { nudged_curl_set_body(curl, easy, $0, $0.count) == CURLE_OK } ?? true
        guard isBodySet, nudged_curl_set_fields(curl, easy, fields) == CURLE_OK,
            nudged_curl_set_takers(
                curl,
                easy,
                { bytes, size, count, transfer in Transfer.take(bytes, size * count, transfer) { $0.take(field: $1) } },
                { bytes, size, count, transfer in Transfer.take(bytes, size * count, transfer) { $0.take(body: $1) } },
                // Unretained: libcurl calls back only while this object exists, within calls of the client's thread.
                Unmanaged.passUnretained(self).toOpaque()
            ) == CURLE_OK
        else { throw HTTPClientError(.resources, "no memory left for \(call.request)") }
    }

    deinit {
        curl.pointee.easy_cleanup(easy)
        curl.pointee.slist_free_all(fields)
    }

    /// Returns the number of bytes taken. Any other number than `count` ends the transfer.
    private static func take(
        _ bytes: UnsafeMutablePointer<CChar>?,
        _ count: Int,
        _ context: UnsafeMutableRawPointer?,
        _ take: (Transfer, UnsafeRawBufferPointer) -> Bool
    ) -> Int {
        guard let context else { return 0 }
        let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        return take(transfer, UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
    }

    /// Takes a line of the head. False: the answer is too large. Lines count, or a server could send them without end.
    private func take(field: UnsafeRawBufferPointer) -> Bool {
        taken += field.count
        // An informational head is followed by another one. Trailers come after the body.
        if field.starts(with: "HTTP/".utf8) { isHeadWhole = false }
        if field.elementsEqual("\r\n".utf8) || field.elementsEqual("\n".utf8) { isHeadWhole = true }
        return taken <= settings.maximumAnswer
    }

    /// Takes a part of the body. Returns false if the answer is too large.
    private func take(body bytes: UnsafeRawBufferPointer) -> Bool {
        taken += bytes.count
        guard taken <= settings.maximumAnswer else { return false }
        body.append(contentsOf: bytes)
        return true
    }

    func answer(_ result: CURLcode) -> Call.Answer {
        guard taken <= settings.maximumAnswer else {
            let text = "the answer of \(call.request.url) is larger than \(settings.maximumAnswer) bytes"
            return .failure(HTTPClientError(.tooLarge, text))
        }
        // libcurl accepts a connection that ends within the fields, because many servers omit TLS's close_notify.
        let result = result == CURLE_OK && !isHeadWhole ? CURLE_PARTIAL_FILE : result
        guard result == CURLE_OK else {
            let verification = nudged_curl_number(curl, easy, CURLINFO_SSL_VERIFYRESULT)
            let errno = Int32(truncatingIfNeeded: nudged_curl_number(curl, easy, CURLINFO_OS_ERRNO))
            let (url, caFile) = (call.request.url, settings.caFile)
            return .failure(HTTPClientError(result, url, verification: verification, errno: errno, caFile: caFile))
        }
        return .success(HTTPResponse(status: nudged_curl_number(curl, easy, CURLINFO_RESPONSE_CODE), body: body))
    }
}
