import CLibCurl
import TestSupport
import Testing

@testable import HTTPClient

@Suite struct ValueTests {
    /// `Tests/Reference/http-urls.txt` has URLs, and what is known of them.
    @Test func url_isDescribedByItsOrigin() throws {
        let lines = try Checkout.reference("http-urls")
        #expect(lines.count == 10)
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            let url = try HTTPURL(words[0])
            #expect("\(url)" == words[1], "\(line)")
            #expect(url.isEncrypted == words.contains("encrypted"), "\(line)")
            #expect(url.isLoopback == words.contains("loopback"), "\(line)")
        }
    }

    @Test(arguments: [
        "", "planted", "/planted", "ftp://planted.example/", "file:///planted", "https://", "https:///planted",
        "https://user:planted@example.com/", "https://user@planted.example/", "https://example.com:0/planted",
        "https://example.com:65536/planted", "https://example.com/planted path", "https://exämple.com/planted",
        "https://example.com/planted\r\nx: y", "https://example.com/planted\u{0}", "gopher://planted.example/",
    ]) func url_whenItCanNotBeUsed_isRefusedWithoutQuotingIt(text: String) {
        let error = #expect(throws: HTTPClientError.self) { try HTTPURL(text) }
        #expect(error.isClean(.invalidRequest))
    }

    @Test(arguments: ["", "planted token", "planted\r\nx: y", "planted\u{0}", "plänted", "planted\u{7F}"])
    func token_whenNoFieldCanHoldIt_isRefused(token: String) throws {
        let url = try HTTPURL("https://example.com/")
        let error = #expect(throws: HTTPClientError.self) {
            try HTTPRequest(post: [], to: url, contentType: "application/json", bearerToken: token)
        }
        #expect(error.isClean(.invalidRequest))
        #expect(throws: HTTPClientError.self) { try HTTPRequest(post: [], to: url, contentType: "a/b\r\nc: d") }
    }

    @Test func token_isSentOverNoPlainConnection_butToThisMachine() throws {
        func request(_ url: String) throws -> HTTPRequest {
            try HTTPRequest(post: [], to: HTTPURL(url), contentType: "application/json", bearerToken: "planted")
        }
        #expect(throws: HTTPClientError.self) { try request("http://example.com/") }
        #expect(try request("https://example.com/").fields.last == "authorization: Bearer planted")
        #expect(try request("http://127.0.0.1/").fields.last == "authorization: Bearer planted")
    }

    @Test func request_showsItsOriginOnly() throws {
        let url = try HTTPURL("https://example.com/planted?planted")
        let (body, json) = (Array("planted".utf8), "application/json")
        let request = try HTTPRequest(post: body, to: url, contentType: json, bearerToken: "planted")
        let response = HTTPResponse(status: 200, body: body)
        for value in [url, request, response, [request], ["a": url]] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!"\(value) \(String(reflecting: value)) \(dumped)".contains("planted"))
            #expect(!dumped.contains("112"), "a body is shown as numbers too")
        }
        #expect("\(request)" == "POST https://example.com:443")
        #expect("\(HTTPRequest(get: url))" == "GET https://example.com:443")
    }

    /// What no server of ours can put to the test on every machine: old TLS, a system's own folder of certificates, other schemes, resolvers
    /// that are silent.
    @Test func options_sayWhatLibcurlWouldElseAssume() throws {
        let request = HTTPRequest(get: try HTTPURL("https://example.com/"))
        var settings = HTTPClientSettings()
        func options(_ left: Duration = .seconds(2)) -> [TransferOption] {
            TransferOption.all(for: request, settings, left: left)
        }
        let plain = options()
        #expect(plain.contains(.number(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))))
        #expect(plain.contains(.text(CURLOPT_SSL_CIPHER_LIST, "ECDHE+AESGCM:ECDHE+CHACHA20")))
        #expect(plain.contains(.text(CURLOPT_PROTOCOLS_STR, "http,https")))
        #expect(plain.contains(.number(CURLOPT_QUICK_EXIT, 1)))
        #expect(plain.contains(.number(CURLOPT_NOSIGNAL, 1)))
        #expect(plain.contains(.number(CURLOPT_CONNECTTIMEOUT_MS, 2_000)))
        for option in [CURLOPT_CAINFO, CURLOPT_CAPATH] {
            #expect(!plain.contains { if case .text(option, _) = $0 { true } else { false } })
        }
        settings.caFile = "/a.pem"
        #expect(options().contains(.text(CURLOPT_CAINFO, "/a.pem")))
        #expect(options().contains(.text(CURLOPT_CAPATH, nil)))
        // 0 would be libcurl's own five minutes.
        for left in [Duration.microseconds(10), .zero, .seconds(-1)] {
            #expect(options(left).contains(.number(CURLOPT_CONNECTTIMEOUT_MS, 1)))
        }
    }

    @Test(arguments: [
        (CURLE_COULDNT_RESOLVE_HOST, 0, HTTPClientError.Code.unresolved), (CURLE_COULDNT_CONNECT, 0, .unreachable),
        (CURLE_OPERATION_TIMEDOUT, 0, .timedOut), (CURLE_SSL_CACERT_BADFILE, 0, .trustFile),
        (CURLE_PEER_FAILED_VERIFICATION, 9, .certificate), (CURLE_SSL_CONNECT_ERROR, 0, .handshake),
        (CURLE_GOT_NOTHING, 0, .brokenOff), (CURLE_OUT_OF_MEMORY, 0, .resources),
        (CURLE_FTP_ACCEPT_FAILED, 0, .library),
    ]) func failure_hasItsCodeAndText(result: CURLcode, verification: Int, code: HTTPClientError.Code) throws {
        let url = try HTTPURL("https://example.com/planted")
        let failure = HTTPClientError(result, url, verification: verification, errno: 0, caFile: "/a.pem")
        #expect(failure.code == code && failure.isClean)
        #expect(failure.description.contains("example.com") || code == .trustFile)
    }

    /// The numbers are OpenSSL's.
    @Test(arguments: [
        (0, "is not for"), (1, "is not for"), (62, "is not for"), (9, "not valid yet"), (10, "has expired"),
        (19, "not trusted"), (20, "not trusted"), (23, "was refused"),
    ]) func failure_saysWhatIsWrongWithTheCertificate(verification: Int, text: String) throws {
        let (result, url) = (CURLE_PEER_FAILED_VERIFICATION, try HTTPURL("https://example.com/planted"))
        let failure = HTTPClientError(result, url, verification: verification, errno: 0, caFile: nil)
        #expect(failure.description.contains(text) && failure.isClean)
    }

    @Test func library_whenItIsMissingOrAnother_isNotLoaded() {
        #expect(nudged_curl_load("libnudged-no-such-library.so.4") == nil)
        // There, but without any of the functions.
        #expect(nudged_curl_load("libz.so.1") == nil && nudged_curl_load("libcurl.so.4") != nil)
    }

    @Test func text_isLibcurls() { #expect(LibCurl.text(CURLE_COULDNT_CONNECT).contains("connect")) }
}
