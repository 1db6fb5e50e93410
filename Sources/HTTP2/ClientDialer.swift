import Glibc
import OpenSSL

/// Makes the TLS connection: resolves anew, tries the addresses in random order, each with its share of the time.
///
/// It runs on the connection's thread, and ends early when `close` is called.
struct ClientDialer {
    let configuration: ClientConfiguration
    let inbox: ClientInbox
    /// CLOCK_MONOTONIC milliseconds.
    let deadline: UInt64

    /// A connected socket, owned by the caller, and TLS on it.
    func dial() -> Result<(descriptor: Int32, tls: TLSConnection), CloseReason> {
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
            let now = Clock.monotonic()
            // Every address gets a share, or one that swallows packets would use the whole time up.
            let share = (max(deadline, now) - now) / UInt64(addresses.count - index)
            switch dial(address, context, until: now + share) {
            case .success(let made): return .success(made)
            case .failure(let reason): failure = reason
            }
            // Another address of the same service would show the same certificate; and closed is closed.
            let isFinal = failure.code == .certificate || failure.code == .noHTTP2
            if isFinal || inbox.end != nil { break }
        }
        return .failure(failure)
    }

    private func resolve() -> Result<[SocketAddress], CloseReason> {
        if let numeric = configuration.addresses {
            return SocketAddress.resolve(numeric: numeric, port: configuration.port)
        }
        // What is an address already costs no thread.
        if configuration.resolver == nil,
            case .success(let found) = SocketAddress.resolve(
                configuration.host,
                port: configuration.port,
                isNumeric: true
            )
        {
            return .success(found)
        }
        guard let lookup = NameLookup.start(configuration) else {
            return .failure(CloseReason(.resolve, "no thread left to resolve \(configuration.host)"))
        }
        while true {
            if let answer = lookup.answer { return answer }
            if let reason = wait(lookup.wake.descriptor, Int16(POLLIN), until: deadline, .resolve) {
                return .failure(reason)
            }
        }
    }

    private func dial(
        _ address: SocketAddress,
        _ context: TLSContext,
        until limit: UInt64
    ) -> Result<(descriptor: Int32, tls: TLSConnection), CloseReason> {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.family, kind, 0)
        guard descriptor >= 0 else { return .failure(connectFailure(errno)) }
        switch connect(descriptor, to: address, until: limit).flatMap({ shake(descriptor, context, until: limit) }) {
        case .success(let tls): return .success((descriptor, tls))
        case .failure(let reason):
            Glibc.close(descriptor)
            return .failure(reason)
        }
    }

    private func connect(_ descriptor: Int32, to address: SocketAddress, until limit: UInt64) -> Result<
        Void, CloseReason
    > {
        // Small writes would wait up to 40 ms for the ACK of the one before.
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        if address.withAddress({ Glibc.connect(descriptor, $0, $1) }) == 0 { return .success(()) }
        guard errno == EINPROGRESS || errno == EINTR else { return .failure(connectFailure(errno)) }
        if let reason = wait(descriptor, Int16(POLLOUT), until: limit, .connect) { return .failure(reason) }
        var number: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &length)
        return number == 0 ? .success(()) : .failure(connectFailure(number))
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
                case .wantsRead: reason = wait(descriptor, Int16(POLLIN), until: limit, .handshake)
                case .wantsWrite: reason = wait(descriptor, Int16(POLLOUT), until: limit, .handshake)
                case .closed: reason = CloseReason(.handshake, "\(configuration.host) closed during the TLS handshake")
                }
                if let reason { return .failure(reason) }
            }
        } catch {
            let code: CloseReason.Code =
                error.isAboutCertificate ? .certificate : error.code == .noHTTP2 ? .noHTTP2 : .handshake
            return .failure(CloseReason(code, error.description))
        }
    }

    /// Nil once the descriptor is ready.
    private func wait(
        _ descriptor: Int32,
        _ events: Int16,
        until limit: UInt64,
        _ step: CloseReason.Code
    ) -> CloseReason? {
        while true {
            if let code = inbox.end { return CloseReason(code, "closed before it was open") }
            let now = Clock.monotonic()
            guard now < limit else {
                return outOfTime(step)
            }
            var descriptors = [
                pollfd(fd: descriptor, events: events, revents: 0),
                pollfd(fd: inbox.wake.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            poll(&descriptors, 2, Int32(clamping: limit - now))
            if descriptors[1].revents != 0 {
                // Submissions only wait here; what ends the connection is seen above.
                inbox.sleepOn()
            }
            if descriptors[0].revents != 0 { return nil }
        }
    }

    private func outOfTime(_ step: CloseReason.Code) -> CloseReason {
        let what =
            switch step {
            case .resolve: "resolve"
            case .connect: "connect"
            default: "shake hands with"
            }
        return CloseReason(step, "no time left to \(what) \(configuration.host) port \(configuration.port)")
    }

    private func connectFailure(_ number: Int32) -> CloseReason {
        let words = String(cString: strerror(number))
        return CloseReason(.connect, "can't connect to \(configuration.host) port \(configuration.port): \(words)")
    }
}
