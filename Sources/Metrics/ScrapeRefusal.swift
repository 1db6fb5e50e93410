/// Why a request gets no metrics.
enum ScrapeRefusal: CaseIterable {
    case malformed
    /// The host is a name that is not localhost.
    case host
    case notFound
    case method
    case tooLarge
    case version

    /// The status for the answer's first line.
    var status: String {
        switch self {
        case .malformed: "400 Bad Request"
        case .notFound: "404 Not Found"
        case .method: "405 Method Not Allowed"
        case .tooLarge: "431 Request Header Fields Too Large"
        case .version: "505 HTTP Version Not Supported"
        case .host: "421 Misdirected Request"
        }
    }

    /// What to do, for the answer's body.
    var remedy: String {
        self == .host ? "use localhost or a numeric address as the host" : "metrics are at /metrics"
    }
}
