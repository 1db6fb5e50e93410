import Glibc
import Base
import OpenSSL

/// What a client connection's thread does: it dials and then serves the connection until it ends.
struct ClientLoop: Sendable {
    let configuration: ClientConfiguration
    let inbox = ClientInbox()
    let resolver: NameLookup.Resolver?
    let onEvent: @Sendable (ClientEvent) -> Void

    /// Returns when the connection has ended and all events are delivered.
    func run() {
        guard inbox.wake.descriptor >= 0, let session = ClientSession(configuration: configuration) else {
            return end(nil, CloseReason(.connect, "no descriptor or memory left for a connection"))
        }
        let deadline = UInt64(MonotonicTime.milliseconds()) + UInt64(configuration.connectTimeout)
        do throws(CloseReason) {
            let (descriptor, tls) = try dial(by: deadline)
            let wire = ClientWire(loop: self, session: session, tls: tls, descriptor: descriptor, deadline: deadline)
            let reason = wire.serve()
            Glibc.close(descriptor)
            end(session, reason)
        } catch {
            end(session, error)
        }
    }

    /// Completes what is left and delivers `closed`.
    func end(_ session: ClientSession?, _ reason: CloseReason) {
        let rest = inbox.finish()
        if let session {
            for (submission, slots) in rest { session.queue.append(submission, slots) }
            session.abandon(byUs: reason.code == .closed)
            session.events.forEach(onEvent)
        }
        let tags = session == nil ? rest.flatMap { run in run.slots.map(run.submission.tag) } : []
        let completions = session?.completions ?? tags.map { Completion(tag: $0, result: .unsent(.connectionLost)) }
        if !completions.isEmpty { onEvent(.completions(completions)) }
        onEvent(.closed(reason))
    }

    // MARK: Dialling

    /// A connected socket with TLS on it. The caller owns the socket. The name is resolved each time, and the addresses
    /// are tried in random order. It ends early after `close`. `deadline`: Milliseconds of CLOCK_MONOTONIC.
    private func dial(by deadline: UInt64) throws(CloseReason) -> (descriptor: Int32, tls: TLSConnection) {
        let context = try withTLS { () throws(TLSError) in try TLSContext.client(caFile: configuration.caFile) }
        let addresses = try resolve(by: deadline).shuffled()
        var failure = CloseReason(.resolve, "\(configuration.host) has no address")
        for (index, address) in addresses.enumerated() {
            let now = UInt64(MonotonicTime.milliseconds())
            // Each address gets a share of the time. Otherwise one that drops packets would use up all of it.
            let share = (max(deadline, now) - now) / UInt64(addresses.count - index)
            do throws(CloseReason) {
                return try dial(address, context, until: now + share)
            } catch {
                failure = error
            }
            // Other addresses of the service would have the same certificate. After a close none is needed.
            let isFinal = failure.code == .certificate || failure.code == .noHTTP2
            if isFinal || inbox.isToClose() { break }
        }
        throw failure
    }

    private func resolve(by deadline: UInt64) throws(CloseReason) -> [SocketAddress] {
        let (host, port) = (configuration.host, configuration.port)
        // A numeric address needs no thread.
        if resolver == nil, let found = try? SocketAddress.resolve(host, port: port, isNumeric: true) { return found }
        guard let lookup = NameLookup.start(host, port, resolver) else {
            throw CloseReason(.resolve, "no thread left to resolve \(host)")
        }
        while true {
            if let answer = lookup.answer { return try answer.get() }
            try wait(lookup.wake.descriptor, POLLIN, until: deadline, .resolve, to: "resolve")
        }
    }

    private func dial(
        _ address: SocketAddress,
        _ context: TLSContext,
        until limit: UInt64
    ) throws(CloseReason) -> (descriptor: Int32, tls: TLSConnection) {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.family, kind, 0)
        guard descriptor >= 0 else { throw connectFailure(errno) }
        do throws(CloseReason) {
            try connect(descriptor, to: address, until: limit)
            return (descriptor, try shake(descriptor, context, until: limit))
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    private func connect(_ descriptor: Int32, to address: SocketAddress, until limit: UInt64) throws(CloseReason) {
        // Otherwise small writes would wait up to 40 ms for the ACK of the previous one.
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        if address.withAddress({ Glibc.connect(descriptor, $0, $1) }) == 0 { return }
        guard errno == EINPROGRESS || errno == EINTR else { throw connectFailure(errno) }
        try wait(descriptor, POLLOUT, until: limit, .connect, to: "connect")
        var number: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &length)
        if number != 0 { throw connectFailure(number) }
    }

    private func shake(_ socket: Int32, _ context: TLSContext, until end: UInt64) throws(CloseReason) -> TLSConnection {
        let host = configuration.host
        let tls = try withTLS { () throws(TLSError) in
            try TLSConnection(client: context, descriptor: socket, host: host)
        }
        while true {
            var events = POLLIN
            switch try withTLS({ () throws(TLSError) in try tls.handshake() }) {
            case .done: return tls
            case .wantsRead: break
            case .wantsWrite: events = POLLOUT
            case .closed: throw CloseReason(.handshake, "\(host) closed the connection during the TLS handshake")
            }
            try wait(socket, events, until: end, .handshake, to: "finish the TLS handshake with")
        }
    }

    private func withTLS<Result>(_ body: () throws(TLSError) -> Result) throws(CloseReason) -> Result {
        do throws(TLSError) {
            return try body()
        } catch {
            let code: CloseReason.Code =
                switch error.code {
                case .certificate: .certificate
                case .noHTTP2: .noHTTP2
                default: .handshake
                }
            throw CloseReason(code, error.description)
        }
    }

    private func wait(
        _ descriptor: Int32,
        _ events: Int32,
        until limit: UInt64,
        _ step: CloseReason.Code,
        to what: String
    ) throws(CloseReason) {
        while true {
            // Submissions wait until the connection is open.
            if inbox.isToClose() { throw CloseReason(.closed, "closed before it was open") }
            let now = UInt64(MonotonicTime.milliseconds())
            guard now < limit else {
                throw CloseReason(step, "no time left to \(what) \(configuration.host) port \(configuration.port)")
            }
            if inbox.poll(descriptor, Int16(events), Int32(clamping: limit - now)) != 0 { return }
        }
    }

    private func connectFailure(_ number: Int32) -> CloseReason {
        let text = String(cString: strerror(number))
        return CloseReason(.connect, "can't connect to \(configuration.host) port \(configuration.port): \(text)")
    }
}
