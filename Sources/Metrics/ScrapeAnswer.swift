/// The HTTP answer to a scrape. The connection closes after it.
enum ScrapeAnswer {
    /// The complete answer: head, and body unless the method is HEAD.
    ///
    /// - Parameter page: makes the metrics. Called only if the answer needs them.
    static func bytes(_ outcome: ScrapeRequest.Outcome, page: () -> [UInt8]) -> [UInt8] {
        let (status, type, body): (String, String, [UInt8]) =
            if let refusal = outcome.refusal {
                (
                    refusal.status, "text/plain; charset=utf-8",
                    Array("\(refusal.status): \(refusal.remedy)\n".utf8)
                )
            } else { ("200 OK", Exposition.contentType, page()) }
        let allowed = outcome.refusal == .method ? "allow: GET, HEAD\r\n" : ""
        let head =
            "HTTP/1.1 \(status)\r\ncontent-type: \(type)\r\ncontent-length: \(body.count)\r\nconnection: close\r\n\(allowed)\r\n"
        return Array(head.utf8) + (outcome.isHead ? [] : body)
    }
}
