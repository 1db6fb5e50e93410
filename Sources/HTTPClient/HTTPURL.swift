import CLibCurl

/// An address of http or https, checked once.
///
/// Its description is only the origin: a path or query may be a secret, as with heartbeat services.
public struct HTTPURL: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The complete address, only for the request.
    let text: String
    /// Whether it is https.
    public let isEncrypted: Bool
    /// The host's name or numeric address. An IPv6 address has no brackets.
    public let host: String
    /// The TCP port.
    public let port: UInt16

    /// Reads an absolute address without a user name. It must be visible ASCII (RFC 3986: percent-encoded, hosts in
    /// Punycode).
    ///
    /// - Throws: `.invalidRequest`, whose text doesn't repeat the address. `.library` if libcurl can't be loaded.
    public init(_ text: String) throws(HTTPClientError) {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Self.refusal("it is empty, or contains a space, a control character or a character beyond ASCII")
        }
        let curl = try LibCurl.loaded()
        // libcurl would use the first part of the path as the host.
        guard let parts = URLParts(text, curl), !text.contains(":///") else {
            throw Self.refusal("it is not of the form https://host/path, or it contains a user")
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

    /// Whether the address is this machine's, so that requests don't leave it. libcurl resolves `localhost` itself.
    public var isLoopback: Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        let isIPv4 = parts.count == 4 && parts.allSatisfy { UInt8($0) != nil } && parts[0] == "127"
        return isIPv4 || host == "::1" || host == "localhost"
    }

    /// Scheme, host and port. Nothing else of the address may be logged.
    public var description: String {
        "\(isEncrypted ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    /// Has no children, because dump(_:) and interpolation of an owner would show the path.
    public var customMirror: Mirror { Mirror(self, children: []) }

    private static func refusal(_ why: String) -> HTTPClientError {
        HTTPClientError(.invalidRequest, "the address can't be used: \(why)")
    }
}
