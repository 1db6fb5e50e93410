/// One request. Its description and mirror show the method and the origin only.
public struct HTTPRequest: Sendable, CustomStringConvertible, CustomReflectable {
    /// Where it goes.
    public let url: HTTPURL
    /// What is posted; nil: a GET.
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
    ///   - contentType: of the body, and wanted of the answer.
    ///   - bearerToken: RFC 6750, section 2.1; goes over https only, or to this machine.
    /// - Throws: `.invalidRequest`.
    public init(post body: [UInt8], to url: HTTPURL, contentType: String, bearerToken: String? = nil)
        throws(HTTPClientError)
    {
        self.url = url
        self.body = body
        guard Self.isFieldValue(contentType) else {
            throw HTTPClientError(.invalidRequest, "the content type holds a character that no field may hold")
        }
        // An empty Expect: for a long body libcurl else asks first, and waits a second for servers that don't answer that.
        var fields = ["content-type: \(contentType)", "accept: \(contentType)", "expect:"]
        if let bearerToken {
            guard !bearerToken.isEmpty, Self.isFieldValue(bearerToken), !bearerToken.utf8.contains(0x20) else {
                throw HTTPClientError(
                    .invalidRequest,
                    "the bearer token is empty or holds a character that no token may hold: look for a line break or a space in it"
                )
            }
            guard url.isEncrypted || url.isLoopback else {
                throw HTTPClientError(.invalidRequest, "a bearer token is not sent to \(url): use https")
            }
            fields.append("authorization: Bearer \(bearerToken)")
        }
        self.fields = fields
    }

    /// Visible ASCII and spaces: a line break would begin a field of its own (RFC 9112, section 11.1).
    private static func isFieldValue(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    /// Method and origin.
    public var description: String { "\(body == nil ? "GET" : "POST") \(url)" }

    /// No children: dump(_:) and interpolation of an owner would show them.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
