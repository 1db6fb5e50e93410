import Base
import Glibc

struct ScrapeRule: Sendable {
    /// A client must send it. Nil: everyone who reaches the address gets the metrics.
    var token: Secret?
    /// Whether the host may be any name. If not, it is localhost or a numeric address: a page on the web can make its
    /// own name point to this machine (DNS rebinding), and a browser would then let the page read the metrics.
    var allowsNames = false
}

/// The part of a request that has arrived: the head of HTTP/1.0 or 1.1 (RFC 9112). A body is not read.
struct ScrapeRequest {
    struct Outcome: Equatable {
        /// Nil: the request gets the metrics.
        var refusal: ScrapeRefusal?
        /// The method is HEAD: the answer has no body (RFC 9110, section 9.3.2).
        var isHead = false

        /// The complete answer. `page` makes the metrics, if the answer needs them.
        func answer(_ page: () -> [UInt8]) -> [UInt8] {
            let plain = "text/plain; charset=utf-8"
            let (status, type, body): (String, String, [UInt8]) =
                refusal.map { ($0.rawValue, plain, Array("\($0.rawValue): \($0.remedy)\n".utf8)) }
                ?? ("200 OK", MetricFamily.contentType, page())
            let kind = "content-type: \(type)\r\ncontent-length: \(body.count)\r\n"
            let head = "HTTP/1.1 \(status)\r\n\(kind)connection: close\r\n\(refusal?.field ?? "")\r\n"
            return Array(head.utf8) + (isHead ? [] : body)
        }
    }

    /// The most bytes of a head. Prometheus sends about 300.
    static let mostBytes = 4096

    private let rule: ScrapeRule
    private var head: [UInt8] = []
    /// Bytes before this one hold no end of the head.
    private var searched = 0

    init(_ rule: ScrapeRule = ScrapeRule()) { self.rule = rule }

    /// Takes bytes that arrived. Nil: the head is not complete yet.
    mutating func take(_ bytes: some Collection<UInt8>) -> Outcome? {
        head += bytes.prefix(Self.mostBytes + 1 - head.count)
        guard let end = endOfHead() else { return head.count > Self.mostBytes ? Outcome(refusal: .tooLarge) : nil }
        return check(head[..<end])
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

    private func check(_ head: ArraySlice<UInt8>) -> Outcome {
        let lines = head.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            line.last == 0x0D ? line.dropLast() : line
        }
        let words = lines[0].split(separator: 0x20, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard words.count == 3, words.allSatisfy({ !$0.isEmpty }), words[2].hasPrefix("HTTP/")
        else { return Outcome(refusal: .malformed) }
        guard words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else { return Outcome(refusal: .version) }
        let fields = lines.dropFirst().compactMap { Self.field($0) }
        guard fields.count == lines.count - 1 else { return Outcome(refusal: .malformed) }
        // HTTP/1.1 requires exactly one Host field (RFC 9112, section 3.2).
        let hosts = fields.filter { $0.name == "host" }
        guard hosts.count == 1 || hosts.isEmpty && words[2] == "HTTP/1.0" else { return Outcome(refusal: .malformed) }
        let isHead = words[0] == "HEAD"
        // Checked first, so that a client without the token learns nothing else.
        guard isAllowed(fields.filter { $0.name == "authorization" }.map(\.value))
        else { return Outcome(refusal: .unauthorized, isHead: isHead) }
        let target = Self.parts(of: words[1])
        if !rule.allowsNames, let host = target.authority ?? hosts.first?.value, !Self.isThisMachine(host) {
            return Outcome(refusal: .host, isHead: isHead)
        }
        guard target.path == "/metrics" else { return Outcome(refusal: .notFound, isHead: isHead) }
        return Outcome(refusal: isHead || words[0] == "GET" ? nil : .method, isHead: isHead)
    }

    /// Whether there is one field `Authorization: Bearer TOKEN` with the right token (RFC 6750, section 2.1), in any
    /// case of the scheme (RFC 9110, section 11.1).
    private func isAllowed(_ values: [Substring]) -> Bool {
        guard let token = rule.token else { return true }
        guard values.count == 1, let space = values[0].firstIndex(of: " "),
            values[0][..<space].lowercased() == "bearer"
        else { return false }
        return token.matches(values[0][space...].drop { $0 == " " }.utf8)
    }

    /// A field with its name in lower case. RFC 9112, section 5, allows no space before the colon and no folded line.
    private static func field(_ line: ArraySlice<UInt8>) -> (name: String, value: Substring)? {
        guard let colon = line.firstIndex(of: 0x3A), colon > line.startIndex else { return nil }
        let name = line[..<colon]
        guard name.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let value = line[(colon + 1)...].drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        return (String(decoding: name, as: UTF8.self).lowercased(), Substring(decoding: value, as: UTF8.self))
    }

    /// The path without the query. An absolute target's host counts in place of the field (RFC 9112, section 3.2.2).
    private static func parts(of target: String) -> (authority: Substring?, path: Substring) {
        let path = target.prefix { $0 != "?" }
        let scheme = "http://"
        guard path.lowercased().hasPrefix(scheme) else { return (nil, path) }
        let rest = path.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" }
        return (authority, rest[authority.endIndex...])
    }

    /// Whether a host is localhost or a numeric address.
    private static func isThisMachine(_ host: Substring) -> Bool {
        let isBracketed = host.first == "["
        let name = isBracketed ? host.dropFirst().prefix { $0 != "]" } : host.prefix { $0 != ":" }
        let port = host[name.endIndex...].dropFirst(isBracketed ? 1 : 0)
        guard port.isEmpty || port.first == ":", port.utf8.dropFirst().allSatisfy({ (0x30...0x39).contains($0) })
        else { return false }
        var address = in6_addr()
        if isBracketed { return inet_pton(AF_INET6, String(name), &address) == 1 }
        return name.lowercased() == "localhost" || inet_pton(AF_INET, String(name), &address) == 1
    }
}

/// Each with the status of its answer.
enum ScrapeRefusal: String, CaseIterable {
    case malformed = "400 Bad Request"
    case unauthorized = "401 Unauthorized"
    case notFound = "404 Not Found"
    case method = "405 Method Not Allowed"
    /// The host is a name that is not localhost.
    case host = "421 Misdirected Request"
    case tooLarge = "431 Request Header Fields Too Large"
    case version = "505 HTTP Version Not Supported"

    var remedy: String {
        switch self {
        case .host: "use localhost or a numeric address as the host"
        case .unauthorized: "send metrics.token as Authorization: Bearer TOKEN"
        case .malformed, .notFound, .method, .tooLarge, .version: "metrics are at /metrics"
        }
    }

    /// A field that the answer must have, with its line break.
    fileprivate var field: String {
        switch self {
        // RFC 9110, section 15.5.2
        case .unauthorized: "www-authenticate: Bearer\r\n"
        case .method: "allow: GET, HEAD\r\n"
        case .malformed, .host, .notFound, .tooLarge, .version: ""
        }
    }
}
