import CLibCurl

/// One of libcurl's options and its value.
struct TransferOption: Equatable {
    enum Value: Equatable {
        case number(Int)
        case text(String)
        /// Takes a default away.
        case none
    }

    let option: CURLoption
    let value: Value

    init(_ option: CURLoption, _ value: Value) {
        self.option = option
        self.value = value
    }

    /// Whether libcurl took it.
    func set(on easy: UnsafeMutableRawPointer, _ curl: UnsafePointer<nudged_curl>) -> Bool {
        switch value {
        case .number(let number): nudged_curl_set_number(curl, easy, option, number) == CURLE_OK
        case .text(let text): nudged_curl_set_text(curl, easy, option, text) == CURLE_OK
        case .none: nudged_curl_set_text(curl, easy, option, nil) == CURLE_OK
        }
    }

    /// What every transfer is told, whatever it asks.
    ///
    /// - Parameter left: until its deadline.
    static func all(for request: HTTPRequest, _ settings: HTTPClientSettings, left: Duration) -> [TransferOption] {
        var options = [
            TransferOption(CURLOPT_URL, .text(request.url.text)),
            TransferOption(CURLOPT_PROTOCOLS_STR, .text("http,https")),
            TransferOption(CURLOPT_FOLLOWLOCATION, .number(0)),
            // A connection each: what breaks one harms one call. Multiplexed, 7.88 loses posts to errors of its own, a few in ten thousand.
            TransferOption(CURLOPT_HTTP_VERSION, .number(Int(CURL_HTTP_VERSION_1_1))),
            TransferOption(CURLOPT_USERAGENT, .text(settings.userAgent)),
            // What libcurl shares out among the server's addresses; the deadline itself is `CallQueue`'s. 0 would be five minutes.
            TransferOption(CURLOPT_CONNECTTIMEOUT_MS, .number(max(1, Int(left / .milliseconds(1))))),
            // No signals: they are the process's, and this is one thread of it.
            TransferOption(CURLOPT_NOSIGNAL, .number(1)),
            // A resolver that is silent is left behind on its own thread, and frees its memory when it ends. Else the client's thread would
            // wait for it, past the deadline and with all other calls.
            TransferOption(CURLOPT_QUICK_EXIT, .number(1)),
            // Most servers and balancers drop what was idle for a minute; some say nothing of it.
            TransferOption(CURLOPT_MAXAGE_CONN, .number(50)),
            TransferOption(CURLOPT_TCP_KEEPALIVE, .number(1)),
        ]
        if !settings.usesProxyOfEnvironment { options.append(TransferOption(CURLOPT_PROXY, .text(""))) }
        return options + trust(settings)
    }

    /// Who is believed to be the server.
    private static func trust(_ settings: HTTPClientSettings) -> [TransferOption] {
        var options = [
            TransferOption(CURLOPT_SSL_VERIFYPEER, .number(1)),
            // 2: the certificate names the host (1 once meant less).
            TransferOption(CURLOPT_SSL_VERIFYHOST, .number(2)),
            TransferOption(CURLOPT_SSLVERSION, .number(Int(CURL_SSLVERSION_TLSv1_2))),
        ]
        if let caFile = settings.caFile {
            options.append(TransferOption(CURLOPT_CAINFO, .text(caFile)))
            // libcurl has a folder beside the file, and would trust what is in there too.
            options.append(TransferOption(CURLOPT_CAPATH, .none))
        }
        return options
    }
}
