import CLibCurl

/// An address of http or https that was checked once.
///
/// It is described by its origin only: a path or query may be a secret, as those of heartbeat services are.
public struct HTTPURL: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The whole address, for the request alone.
    let text: String
    /// Whether it is https.
    public let isEncrypted: Bool
    /// The host's name or numeric address, an IPv6 one without brackets.
    public let host: String
    /// The TCP port.
    public let port: UInt16

    /// Reads an absolute address of visible ASCII (RFC 3986: others are percent-encoded, hosts in Punycode) without a user name.
    ///
    /// - Throws: `.invalidRequest`; the words don't repeat the address. `.library` where there is no libcurl.
    public init(_ text: String) throws(HTTPClientError) {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Self.refusal("it holds a space, a control character, a character beyond ASCII, or nothing at all")
        }
        let curl = try LibCurl.loaded()
        // libcurl would take the path's first part for the host.
        guard let parts = URLParts(text, curl), !text.contains(":///") else {
            throw Self.refusal("it can't be read, or names a user; wanted is https://host/path")
        }
        guard let scheme = parts[CURLUPART_SCHEME], scheme == "https" || scheme == "http" else {
            throw Self.refusal("its scheme is neither https nor http")
        }
        guard let host = parts[CURLUPART_HOST], let port = parts[CURLUPART_PORT].flatMap({ UInt16($0) }), port > 0
        else { throw Self.refusal("it has no host or no port") }
        self.text = text
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        self.port = port
        isEncrypted = scheme == "https"
    }

    /// Whether it names this machine, so that nothing sent there leaves it. (libcurl asks no resolver for `localhost`.)
    public var isLoopback: Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        let isIPv4 = parts.count == 4 && parts.allSatisfy { UInt8($0) != nil } && parts[0] == "127"
        return isIPv4 || host == "::1" || host == "localhost"
    }

    /// Scheme, host and port: all that may be logged.
    public var description: String {
        "\(isEncrypted ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    /// No children: dump(_:) and interpolation of an owner would show the path.
    public var customMirror: Mirror { Mirror(self, children: []) }

    private static func refusal(_ why: String) -> HTTPClientError {
        HTTPClientError(.invalidRequest, "the address can't be used: \(why)")
    }
}
