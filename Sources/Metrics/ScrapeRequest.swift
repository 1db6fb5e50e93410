/// The part of a request that has arrived: the head of HTTP/1.0 or 1.1 (RFC 9112). A body is not read.
struct ScrapeRequest {
    /// The result of a complete head.
    struct Outcome: Equatable {
        /// Nil: the request gets the metrics.
        var refusal: ScrapeRefusal?
        /// The method is HEAD: the answer has no body (RFC 9110, section 9.3.2).
        var isHead = false
    }

    /// The most bytes of a head. Prometheus sends about 300.
    static let mostBytes = 4096

    private var head: [UInt8] = []
    /// Bytes before this one hold no end of the head.
    private var searched = 0

    /// Takes bytes that arrived. Nil: the head is not complete yet.
    mutating func take(_ bytes: some Collection<UInt8>) -> Outcome? {
        head += bytes.prefix(Self.mostBytes + 1 - head.count)
        guard let end = endOfHead() else { return head.count > Self.mostBytes ? Outcome(refusal: .tooLarge) : nil }
        return Self.check(head[..<end])
    }

    /// An empty line ends the head. A bare line feed also ends a line (RFC 9112, section 2.2).
    private mutating func endOfHead() -> Int? {
        defer { searched = max(0, head.count - 2) }
        for place in searched..<head.count where head[place] == 0x0A {
            let next = place + 1 < head.count && head[place + 1] == 0x0D ? place + 2 : place + 1
            if next < head.count, head[next] == 0x0A { return place }
        }
        return nil
    }

    private static func check(_ head: ArraySlice<UInt8>) -> Outcome {
        let lines = head.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            line.last == 0x0D ? line.dropLast() : line
        }
        let words = lines[0].split(separator: 0x20, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard words.count == 3, words.allSatisfy({ !$0.isEmpty }), words[2].hasPrefix("HTTP/") else {
            return Outcome(refusal: .malformed)
        }
        guard words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else { return Outcome(refusal: .version) }
        let names = lines.dropFirst().map { fieldName($0) }
        guard !names.contains(nil) else { return Outcome(refusal: .malformed) }
        // HTTP/1.1 requires exactly one Host field (RFC 9112, section 3.2).
        let hosts = names.count { $0 == "host" }
        guard hosts == 1 || hosts == 0 && words[2] == "HTTP/1.0" else { return Outcome(refusal: .malformed) }
        let isHead = words[0] == "HEAD"
        guard path(words[1]) == "/metrics" else { return Outcome(refusal: .notFound, isHead: isHead) }
        return Outcome(refusal: isHead || words[0] == "GET" ? nil : .method, isHead: isHead)
    }

    /// The name in lower case. Nil if the line is no field: RFC 9112, section 5, allows no space before the colon and
    /// no folded line.
    private static func fieldName(_ line: ArraySlice<UInt8>) -> String? {
        guard let colon = line.firstIndex(of: 0x3A), colon > line.startIndex else { return nil }
        let name = line[..<colon]
        return name.allSatisfy { (0x21...0x7E).contains($0) } ? String(decoding: name, as: UTF8.self).lowercased() : nil
    }

    /// The path without the query. In an absolute target (RFC 9112, section 3.2.2) the path follows the host.
    private static func path(_ target: String) -> Substring {
        var path = target.prefix { $0 != "?" }
        if path.lowercased().hasPrefix("http://") {
            path = path.dropFirst("http://".count).drop { $0 != "/" }
        }
        return path
    }
}
