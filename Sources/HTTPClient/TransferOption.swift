import CLibCurl

struct TransferOption: Equatable {
    enum Value: Equatable {
        case number(Int)
        case text(String)
        /// Removes a default.
        case none
    }

    let option: CURLoption
    let value: Value

    init(_ option: CURLoption, _ value: Value) {
        self.option = option
        self.value = value
    }

    /// Sets the option. Returns whether libcurl accepted it.
    func set(on easy: UnsafeMutableRawPointer, _ curl: UnsafePointer<nudged_curl>) -> Bool {
        switch value {
        case .number(let number): nudged_curl_set_number(curl, easy, option, number) == CURLE_OK
        case .text(let text): nudged_curl_set_text(curl, easy, option, text) == CURLE_OK
        case .none: nudged_curl_set_text(curl, easy, option, nil) == CURLE_OK
        }
    }

    /// The options for every transfer.
    ///
    /// - Parameter left: The time until the call's deadline.
    static func all(for request: HTTPRequest, _ settings: HTTPClientSettings, left: Duration) -> [TransferOption] {
        var options = [
            TransferOption(CURLOPT_URL, .text(request.url.text)),
            TransferOption(CURLOPT_PROTOCOLS_STR, .text("http,https")),
            TransferOption(CURLOPT_FOLLOWLOCATION, .number(0)),
            // One connection for each call, so a broken one fails only one call. With multiplexing, libcurl 7.88 loses
            // a few POSTs in ten thousand to its own errors.
            TransferOption(CURLOPT_HTTP_VERSION, .number(Int(CURL_HTTP_VERSION_1_1))),
            TransferOption(CURLOPT_USERAGENT, .text(settings.userAgent)),
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
        ]
        if !settings.usesProxyOfEnvironment { options.append(TransferOption(CURLOPT_PROXY, .text(""))) }
        return options + trust(settings)
    }

    /// The options that decide which servers are trusted.
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
            options.append(TransferOption(CURLOPT_CAPATH, .none))
        }
        return options
    }
}
