/// Why a request gets no metrics.
enum ScrapeRefusal: CaseIterable {
    case malformed
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
        }
    }
}
