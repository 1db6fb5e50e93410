import Glibc
import Base

/// One name lookup on its own thread. getaddrinfo can block while name servers are silent, and neither a deadline nor a
/// close would interrupt it. A lookup that is no longer needed ends when the resolver gives up.
final class NameLookup: Sendable {
    typealias Answer = Result<[SocketAddress], CloseReason>

    /// Readable when the answer is available.
    let wake = WakeDescriptor()
    private let held = Mutex<Answer?>(nil)

    private init() {}

    var answer: Answer? { held.withLock { $0 } }

    /// Starts a lookup. Returns nil if the system has no thread left.
    static func start(_ configuration: ClientConfiguration) -> NameLookup? {
        let lookup = NameLookup()
        let thread = DedicatedThread.start(named: "resolver") {
            let answer = ask(configuration)
            lookup.held.withLock { $0 = answer }
            lookup.wake.signal()
        }
        guard let thread else { return nil }
        pthread_detach(thread)
        return lookup
    }

    private static func ask(_ configuration: ClientConfiguration) -> Answer {
        guard let resolver = configuration.resolver else {
            return SocketAddress.resolve(configuration.host, port: configuration.port, isNumeric: false)
        }
        return SocketAddress.resolve(numeric: resolver(configuration.host), port: configuration.port)
    }
}
