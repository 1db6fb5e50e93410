import Glibc
import Locks

/// One question to the resolver, on a thread of its own: getaddrinfo can block for as long as the machine's name servers are silent, and
/// neither a deadline nor a close would reach it. A lookup that nobody waits for any more ends by itself, with the resolver's own patience.
final class NameLookup: Sendable {
    typealias Answer = Result<[SocketAddress], CloseReason>

    /// Readable once the answer is there.
    let wake = WakeDescriptor()
    private let held = Mutex<Answer?>(nil)

    private init() {}

    /// What came out; nil: nothing yet.
    var answer: Answer? { held.withLock { $0 } }

    /// Asks; nil where the system has no thread left.
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
