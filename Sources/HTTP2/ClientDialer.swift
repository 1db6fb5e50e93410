import Glibc
import Base
import OpenSSL

/// Makes the TLS connection. It resolves the name each time and tries the addresses in random order.
///
/// It runs on the connection's thread and ends early after `close` or `drain`.
struct ClientDialer {
    typealias Connected = (descriptor: Int32, tls: TLSConnection)

    let configuration: ClientConfiguration
    let resolver: NameLookup.Resolver?
    let inbox: ClientInbox
    /// Milliseconds of CLOCK_MONOTONIC.
    let deadline: UInt64

    /// A connected socket with TLS on it. The caller owns the socket.
    func dial() -> Result<Connected, CloseReason> {
        let context: TLSContext
        do throws(TLSError) {
            context = try TLSContext.client(trust: configuration.trust)
        } catch {
            return .failure(CloseReason(.handshake, error.description))
        }
        var addresses: [SocketAddress] = []
        switch resolve() {
        case .success(let found): addresses = found.shuffled()
        case .failure(let reason): return .failure(reason)
        }
        var failure = CloseReason(.resolve, "\(configuration.host) has no address")
        for (index, address) in addresses.enumerated() {
            let now = UInt64(MonotonicTime.milliseconds())
            // Each address gets a share of the time. Otherwise one that drops packets would use up all of it.
            let share = (max(deadline, now) - now) / UInt64(addresses.count - index)
            switch dial(address, context, until: now + share) {
            case .success(let made): return .success(made)
            case .failure(let reason): failure = reason
            }
            // Other addresses of the service would have the same certificate. After a close none is needed.
            let isFinal = failure.code == .certificate || failure.code == .noHTTP2
            if isFinal || inbox.end != nil { break }
        }
        return .failure(failure)
    }

    private func resolve() -> NameLookup.Answer {
        // A numeric address needs no thread.
        if resolver == nil,
            case .success(let found) = SocketAddress.resolve(
                configuration.host,
                port: configuration.port,
                isNumeric: true
            )
        {
            return .success(found)
        }
        guard let lookup = NameLookup.start(configuration.host, configuration.port, resolver) else {
            return .failure(CloseReason(.resolve, "no thread left to resolve \(configuration.host)"))
        }
        while true {
            if let answer = lookup.answer { return answer }
            if let reason = wait(lookup.wake.descriptor, POLLIN, until: deadline, .resolve) { return .failure(reason) }
        }
    }

    private func dial(
        _ address: SocketAddress,
        _ context: TLSContext,
        until limit: UInt64
    ) -> Result<Connected, CloseReason> {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.family, kind, 0)
        guard descriptor >= 0 else { return .failure(connectFailure(errno)) }
        if let reason = connect(descriptor, to: address, until: limit) {
            Glibc.close(descriptor)
            return .failure(reason)
        }
        switch shake(descriptor, context, until: limit) {
        case .success(let tls): return .success((descriptor, tls))
        case .failure(let reason):
            Glibc.close(descriptor)
            return .failure(reason)
        }
    }

    /// Returns nil when it is connected.
    private func connect(_ descriptor: Int32, to address: SocketAddress, until limit: UInt64) -> CloseReason? {
        // Otherwise small writes would wait up to 40 ms for the ACK of the previous one.
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        if address.withAddress({ Glibc.connect(descriptor, $0, $1) }) == 0 { return nil }
        guard errno == EINPROGRESS || errno == EINTR else { return connectFailure(errno) }
        if let reason = wait(descriptor, POLLOUT, until: limit, .connect) { return reason }
        var number: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &length)
        return number == 0 ? nil : connectFailure(number)
    }

    private func shake(
        _ descriptor: Int32,
        _ context: TLSContext,
        until limit: UInt64
    ) -> Result<TLSConnection, CloseReason> {
        do throws(TLSError) {
            let tls = try TLSConnection(client: context, descriptor: descriptor, host: configuration.host)
            while true {
                let reason: CloseReason?
                switch try tls.handshake() {
                case .done: return .success(tls)
                case .wantsRead: reason = wait(descriptor, POLLIN, until: limit, .handshake)
                case .wantsWrite: reason = wait(descriptor, POLLOUT, until: limit, .handshake)
                case .closed:
                    let host = configuration.host
                    reason = CloseReason(.handshake, "\(host) closed the connection during the TLS handshake")
                }
                if let reason { return .failure(reason) }
            }
        } catch {
            let code: CloseReason.Code =
                error.isAboutCertificate ? .certificate : error.code == .noHTTP2 ? .noHTTP2 : .handshake
            return .failure(CloseReason(code, error.description))
        }
    }

    /// Returns nil when the descriptor is ready.
    private func wait(
        _ descriptor: Int32,
        _ events: Int32,
        until limit: UInt64,
        _ step: CloseReason.Code
    ) -> CloseReason? {
        while true {
            if let code = inbox.end { return CloseReason(code, "closed before it was open") }
            let now = UInt64(MonotonicTime.milliseconds())
            guard now < limit else { return outOfTime(step) }
            var descriptors = [
                pollfd(fd: descriptor, events: Int16(events), revents: 0),
                pollfd(fd: inbox.wake.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            poll(&descriptors, 2, Int32(clamping: limit - now))
            // Submissions wait until the connection is open. `inbox.end` above sees a close or a drain.
            if descriptors[1].revents != 0 { inbox.sleepOn() }
            if descriptors[0].revents != 0 { return nil }
        }
    }

    private func outOfTime(_ step: CloseReason.Code) -> CloseReason {
        let what =
            switch step {
            case .resolve: "resolve"
            case .connect: "connect"
            default: "finish the TLS handshake with"
            }
        return CloseReason(step, "no time left to \(what) \(configuration.host) port \(configuration.port)")
    }

    private func connectFailure(_ number: Int32) -> CloseReason {
        let text = String(cString: strerror(number))
        return CloseReason(.connect, "can't connect to \(configuration.host) port \(configuration.port): \(text)")
    }
}

/// One name lookup on its own thread. getaddrinfo can block while name servers are silent, and neither a deadline nor a
/// close would interrupt it. A lookup that is no longer needed ends when the resolver gives up.
package final class NameLookup: Sendable {
    package typealias Resolver = @Sendable (_ host: String) -> [String]
    typealias Answer = Result<[SocketAddress], CloseReason>

    /// Readable when the answer is available.
    let wake = WakeDescriptor()
    private let held = Mutex<Answer?>(nil)

    private init() {}

    var answer: Answer? { held.withLock { $0 } }

    /// Starts a lookup. Returns nil if the system has no thread left.
    static func start(_ host: String, _ port: UInt16, _ resolver: Resolver?) -> NameLookup? {
        let lookup = NameLookup()
        let thread = DedicatedThread.start(named: "resolver") {
            let answer =
                resolver.map { SocketAddress.resolve(numeric: $0(host), port: port) }
                ?? SocketAddress.resolve(host, port: port, isNumeric: false)
            lookup.held.withLock { $0 = answer }
            lookup.wake.signal()
        }
        guard let thread else { return nil }
        pthread_detach(thread)
        return lookup
    }
}
