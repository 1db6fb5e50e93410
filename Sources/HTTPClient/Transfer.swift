import CLibCurl

struct TransferOption: Equatable {
    enum Value: Equatable {
        case number(Int)
        /// Nil clears the option.
        case text(String?)
    }

    let option: CURLoption
    let value: Value

    init(_ option: CURLoption, _ value: Value) { (self.option, self.value) = (option, value) }

    func set(on easy: UnsafeMutableRawPointer, _ curl: UnsafePointer<nudged_curl>) -> Bool {
        switch value {
        case .number(let number): nudged_curl_set_number(curl, easy, option, number) == CURLE_OK
        case .text(let text): nudged_curl_set_text(curl, easy, option, text) == CURLE_OK
        }
    }

    /// The options for every transfer. `left`: The time until the call's deadline.
    static func all(for request: HTTPRequest, _ settings: HTTPClientSettings, left: Duration) -> [TransferOption] {
        let options = [
            TransferOption(CURLOPT_URL, .text(request.url.text)),
            TransferOption(CURLOPT_PROTOCOLS_STR, .text("http,https")),
            TransferOption(CURLOPT_FOLLOWLOCATION, .number(0)),
            // One connection for each call, so a broken one fails only one call. With multiplexing, libcurl 7.88 loses
            // a few POSTs in ten thousand to its own errors.
            TransferOption(CURLOPT_HTTP_VERSION, .number(Int(CURL_HTTP_VERSION_1_1))),
            TransferOption(CURLOPT_USERAGENT, .text("nudged")),
            // libcurl divides this time among the server's addresses. `CallQueue` enforces the deadline itself. 0 would
            // mean five minutes.
            TransferOption(CURLOPT_CONNECTTIMEOUT_MS, .number(max(1, Int(left / .milliseconds(1))))),
            // No signals: they belong to the process, and this is only one of its threads.
            TransferOption(CURLOPT_NOSIGNAL, .number(1)),
            // A silent resolver's thread is left alone and frees its memory when it ends. Otherwise the client's thread
            // would wait for it, past the deadline and with all other calls.
            TransferOption(CURLOPT_QUICK_EXIT, .number(1)),
            // Most servers and load balancers drop connections that are idle for a minute, some without a notice.
            TransferOption(CURLOPT_MAXAGE_CONN, .number(50)),
            TransferOption(CURLOPT_TCP_KEEPALIVE, .number(1)),
            // No proxy of `https_proxy` and similar variables (libcurl-env(3)): a service's environment must not
            // redirect a token.
            TransferOption(CURLOPT_PROXY, .text("")),
        ]
        return options + trust(settings)
    }

    private static func trust(_ settings: HTTPClientSettings) -> [TransferOption] {
        var options = [
            TransferOption(CURLOPT_SSL_VERIFYPEER, .number(1)),
            // 2: the certificate must name the host. 1 meant less in old versions.
            TransferOption(CURLOPT_SSL_VERIFYHOST, .number(2)),
            TransferOption(CURLOPT_SSLVERSION, .number(Int(CURL_SSLVERSION_TLSv1_2))),
            // For TLS 1.2: ECDHE and AEAD, as towards Apple. The suites of TLS 1.3 are all of this kind.
            TransferOption(CURLOPT_SSL_CIPHER_LIST, .text("ECDHE+AESGCM:ECDHE+CHACHA20")),
        ]
        if let caFile = settings.caFile {
            options.append(TransferOption(CURLOPT_CAINFO, .text(caFile)))
            // libcurl also has a default folder of certificates, and would trust those too.
            options.append(TransferOption(CURLOPT_CAPATH, .text(nil)))
        }
        return options
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
        self.call = call
        self.easy = easy
        self.curl = curl
        self.settings = settings
        for option in TransferOption.all(for: call.request, settings, left: call.deadline - now) {
            guard option.set(on: easy, curl) else {
                throw HTTPClientError(.library, "libcurl refuses option \(option.option.rawValue)")
            }
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

    /// Takes a line of the answer's head. Returns false if the answer is too large. Lines count, or a server could send
    /// them without end.
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
            let outcome = TransferFailure(
                result: result,
                url: call.request.url,
                verification: nudged_curl_number(curl, easy, CURLINFO_SSL_VERIFYRESULT),
                errno: Int32(truncatingIfNeeded: nudged_curl_number(curl, easy, CURLINFO_OS_ERRNO)),
                caFile: settings.caFile
            )
            return .failure(outcome.error)
        }
        return .success(HTTPResponse(status: nudged_curl_number(curl, easy, CURLINFO_RESPONSE_CODE), body: body))
    }
}
