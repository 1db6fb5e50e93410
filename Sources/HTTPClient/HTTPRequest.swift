/// One request. Its description shows only the method and the origin.
public struct HTTPRequest: Sendable, CustomStringConvertible, CustomReflectable {
    /// The address that the request goes to.
    public let url: HTTPURL
    /// The body of a POST. Nil: a GET.
    let body: [UInt8]?
    /// Fields beside libcurl's own, as lines `name: value`.
    let fields: [String]

    /// A GET.
    public init(get url: HTTPURL) {
        self.url = url
        body = nil
        fields = []
    }

    /// A POST.
    ///
    /// - Parameters:
    ///   - contentType: The type of the body and the accepted type of the answer.
    ///   - bearerToken: See RFC 6750, section 2.1. It is sent only over https or to this machine.
    /// - Throws: `.invalidRequest`.
    public init(post body: [UInt8], to url: HTTPURL, contentType: String, bearerToken: String? = nil)
        throws(HTTPClientError)
    {
        self.url = url
        self.body = body
        guard Self.isFieldValue(contentType) else {
            throw HTTPClientError(.invalidRequest, "the content type contains a character that is not allowed")
        }
        // The empty `expect:` stops libcurl from announcing a long body. It would wait a second for servers that ignore
        // that.
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

    /// The method and the origin.
    public var description: String { "\(body == nil ? "GET" : "POST") \(url)" }

    /// Has no children, because dump(_:) and interpolation of an owner would show them.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
