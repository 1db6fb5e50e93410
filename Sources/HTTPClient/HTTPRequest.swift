import CLibCurl

/// An address of http or https, checked once. Its description is only the origin: a path or query may be a secret, as
/// with heartbeat services.
package struct HTTPURL: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    let text: String
    package let isEncrypted: Bool
    /// The host's name or numeric address. An IPv6 address has no brackets.
    package let host: String
    package let port: UInt16

    /// Reads an absolute address without a user name, in visible ASCII (RFC 3986: percent-encoded, hosts in Punycode).
    /// - Throws: `.invalidRequest`, whose text doesn't repeat the address. `.library` if libcurl can't be loaded.
    package init(_ text: String) throws(HTTPClientError) {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Self.refusal("it is empty, or contains a space, a control character or a character beyond ASCII")
        }
        // As libcurl parses it, so that the checks see the same parts as its request.
        let curl = try LibCurl.loaded()
        let parts = curl.pointee.url()
        defer { curl.pointee.url_cleanup(parts) }
        /// A missing port is the scheme's default.
        func part(_ part: CURLUPart) -> String? {
            var text: UnsafeMutablePointer<CChar>?
            _ = curl.pointee.url_get(parts, part, &text, UInt32(CURLU_DEFAULT_PORT))
            defer { curl.pointee.free(text) }
            return text.map { String(cString: $0) }
        }
        // libcurl would use the first part of the path as the host.
        guard curl.pointee.url_set(parts, CURLUPART_URL, text, UInt32(CURLU_DISALLOW_USER)) == CURLUE_OK,
            !text.contains(":///")
        else { throw Self.refusal("it is not of the form https://host/path, or it contains a user") }
        guard let scheme = part(CURLUPART_SCHEME), scheme == "https" || scheme == "http" else {
            throw Self.refusal("its scheme is neither https nor http")
        }
        guard let host = part(CURLUPART_HOST), let port = part(CURLUPART_PORT).flatMap({ UInt16($0) }), port > 0
        else { throw Self.refusal("it has no host or no port") }
        self.text = text
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        self.port = port
        isEncrypted = scheme == "https"
    }

    /// Whether the address is this machine's, so that requests don't leave it. libcurl resolves `localhost` itself.
    package var isLoopback: Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        let isIPv4 = parts.count == 4 && parts.allSatisfy { UInt8($0) != nil } && parts[0] == "127"
        return isIPv4 || host == "::1" || host == "localhost"
    }

    /// Scheme, host and port. Nothing else of the address may be logged.
    package var description: String {
        "\(isEncrypted ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    package var customMirror: Mirror { Mirror(self, children: []) }

    private static func refusal(_ why: String) -> HTTPClientError {
        HTTPClientError(.invalidRequest, "the address can't be used: \(why)")
    }
}

/// One request. Its description shows only the method and the origin.
package struct HTTPRequest: Sendable, CustomStringConvertible, CustomReflectable {
    package let url: HTTPURL
    let body: [UInt8]?
    let fields: [String]

    package init(get url: HTTPURL) { (self.url, body, fields) = (url, nil, []) }

    /// `contentType`: of body and answer. `bearerToken` (RFC 6750, section 2.1): only over https or to this machine.
    package init(post body: [UInt8], to url: HTTPURL, contentType: String, bearerToken: String? = nil)
        throws(HTTPClientError)
    {
        (self.url, self.body) = (url, body)
        guard Self.isFieldValue(contentType) else {
            throw HTTPClientError(.invalidRequest, "the content type contains a character that is not allowed")
        }
        // The empty `expect:` stops libcurl from sending `Expect: 100-continue`: it would wait a second for servers
        // that ignore that.
        var fields = ["content-type: \(contentType)", "accept: \(contentType)", "expect:"]
        if let bearerToken {
            guard !bearerToken.isEmpty, Self.isFieldValue(bearerToken), !bearerToken.utf8.contains(0x20) else {
                throw HTTPClientError(
                    .invalidRequest,
                    "the bearer token is empty or contains a character that is not allowed: "
                        + "look for a line break or a space"
                )
            }
            guard url.isEncrypted || url.isLoopback else {
                throw HTTPClientError(.invalidRequest, "nudged does not send a bearer token to \(url): use https")
            }
            fields.append("authorization: Bearer \(bearerToken)")
        }
        self.fields = fields
    }

    /// Visible ASCII and spaces. A line break would start another field (RFC 9112, section 11.1).
    private static func isFieldValue(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    package var description: String { "\(body == nil ? "GET" : "POST") \(url)" }

    // Without children, because dump(_:) and interpolation of an owner would show them.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// An answer. Its description shows only the status and the body's size.
package struct HTTPResponse: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The final status. Usually 200 to 599, but servers may send others. Redirects are not followed.
    package let status: Int
    /// The body as received. No content coding is requested, and none is decoded.
    package let body: [UInt8]

    package var description: String { "status \(status), \(body.count) bytes" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
