package import Certificates
import Base
import Glibc
import OpenSSL

/// A server of HTTP/1.1 on the loopback, over real TLS (or none), that does just what each test says: a thread for each connection.
package final class HTTPSServer: Sendable {
    package struct Seen: Sendable {
        package var accepted = 0
        package var ended = 0
        package var refused = 0
        package var requests: [HTTPSRequest] = []
        /// Every byte that came, after TLS, also those of requests that are not whole.
        package var received: [UInt8] = []
        /// Requests that are being answered now, and the most that were at a time.
        package var open = 0, mostOpen = 0
        package var left = 0
    }

    package static let authority = Result { try SelfSignedAuthority() }

    package var port: UInt16 { listener.port }
    package let seen = Observed(Seen())
    private let listener: LoopbackPort
    private let gate: HTTPSGate

    /// Listens, and serves from now on.
    ///
    /// - Parameters:
    ///   - names: of its certificate; nil: plain HTTP.
    ///   - notBefore, notAfter: of its certificate, in seconds from now.
    ///   - suites: limits it to TLS 1.2 with these suites.
    package init(
        names: [String]? = ["localhost", "127.0.0.1"],
        notBefore: Int = -86_400,
        notAfter: Int = 86_400,
        suites: String? = nil,
        answer: @escaping @Sendable (HTTPSRequest) -> [HTTPSAct]
    ) throws {
        let context = try names.map { names in
            let leaf = try Self.authority.get().issue(for: names, notBefore: notBefore, notAfter: notAfter)
            return try TLSContext.server(leaf, offersHTTP2: false, suites: suites)
        }
        let gate = try HTTPSGate()
        guard let listener = LoopbackPort(backlog: 64) else { throw HTTPSServerError(errno: errno) }
        (self.gate, self.listener) = (gate, listener)
        let seen = seen
        // Not self: it goes when its test lets go of it.
        try Self.spawn("https-server") {
            var number = 0
            while let descriptor = Self.accept(listener.descriptor) {
                number += 1
                seen.change { $0.accepted += 1 }
                let id = number
                let work: @Sendable () -> Void = {
                    HTTPSConnection(descriptor, context, id: id, gate: gate, seen: seen).serve(answer)
                    seen.change { $0.ended += 1 }
                }
                if (try? Self.spawn("https-served", work)) == nil { Glibc.close(descriptor) }
            }
        }
    }

    deinit { stop() }

    /// Lets everybody go who is held, and holds nobody any more.
    package func release() { gate.open() }

    /// Accepts nothing more and lets everybody go; each connection ends with its client's.
    package func stop() {
        // accept(2) returns, and its thread ends.
        shutdown(listener.descriptor, Int32(SHUT_RDWR))
        release()
    }

    private static func spawn(_ name: String, _ work: @escaping @Sendable () -> Void) throws {
        guard let thread = DedicatedThread.start(named: name, work) else { throw HTTPSServerError(errno: EAGAIN) }
        pthread_detach(thread)
    }

    /// The next connection, as TLS wants it: not blocking. nil: the listener was shut down.
    private static func accept(_ listener: Int32) -> Int32? {
        var descriptor = Glibc.accept(listener, nil, nil)
        while descriptor < 0 {
            if errno == EINVAL { return nil }
            descriptor = Glibc.accept(listener, nil, nil)
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        return descriptor
    }
}

struct HTTPSServerError: Error { let errno: Int32 }

/// What holds a server's connections until it is opened, for good: they poll its descriptor.
final class HTTPSGate: Sendable {
    let descriptor: Int32
    private let other: Mutex<Int32>

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw HTTPSServerError(errno: errno) }
        descriptor = ends[0]
        other = Mutex(ends[1])
    }

    deinit {
        open()
        Glibc.close(descriptor)
    }

    func open() {
        other.withLock { end in
            if end >= 0 { Glibc.close(end) }
            end = -1
        }
    }
}

/// A request of HTTP/1.1 that a server of the tests has read whole.
package struct HTTPSRequest: Sendable {
    /// The connection's number, from 1 in the order of arrival.
    package let connection: Int
    package let line: String
    /// The fields, names in lower case.
    package let fields: [String: String]
    package let body: [UInt8]

    init?(_ bytes: [UInt8], connection: Int) {
        let end = Array("\r\n\r\n".utf8)
        guard let head = bytes.indices.first(where: { bytes[$0...].starts(with: end) }) else { return nil }
        // Not split by characters: "\r\n" is one.
        let lines = String(decoding: bytes[..<head], as: UTF8.self).split(separator: "\r\n").map(String.init)
        line = lines.first ?? ""
        fields = lines.dropFirst().reduce(into: [:]) { fields, line in
            guard let colon = line.firstIndex(of: ":") else { return }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            fields[line[..<colon].lowercased()] = String(value)
        }
        let count = fields["content-length"].flatMap { Int($0) } ?? 0
        guard bytes.count >= head + 4 + count else { return nil }
        body = Array(bytes[(head + 4)..<(head + 4 + count)])
        size = head + 4 + count
        self.connection = connection
    }

    let size: Int
}
