import COpenSSL
import Glibc

/// TLS on a non-blocking, connected socket, without SIGPIPE. It owns OpenSSL's state but not the descriptor, which must
/// live longer. Not Sendable: one thread uses it.
public final class TLSConnection {
    package let handle: OpaquePointer
    private let state: UnsafeMutablePointer<SocketState>
    /// The name that the peer's certificate must contain. Nil in a server.
    private let host: String?

    /// A client's connection. `host`: A DNS name (also sent as SNI) or a numeric address.
    public convenience init(client context: TLSContext, descriptor: Int32, host: String) throws(TLSError) {
        try self.init(context: context, descriptor: descriptor, host: host)
        // 1 means a numeric address, which must not be sent as SNI (RFC 6066 section 3).
        if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(handle), host) != 1 {
            let isNamed = SSL_set1_host(handle, host) == 1
            let isSent = host.withCString { name in
                // SSL_set_tlsext_host_name is a macro for this. The name is copied.
                let name = UnsafeMutableRawPointer(mutating: name)
                return SSL_ctrl(handle, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), name) == 1
            }
            guard isNamed, isSent else { throw TLSError(.library, "\(host) can't be a host name") }
        }
        TLSErrorQueue.clear()
        SSL_set_connect_state(handle)
    }

    /// - Parameter host: Nil in a server.
    package init(context: TLSContext, descriptor: Int32, host: String?) throws(TLSError) {
        TLSErrorQueue.clear()
        guard let handle = SSL_new(context.handle) else {
            throw TLSError(.library, "can't begin TLS: \(TLSErrorQueue.text())")
        }
        let state = UnsafeMutablePointer<SocketState>.allocate(capacity: 1)
        state.initialize(to: SocketState(descriptor: descriptor))
        (self.handle, self.state, self.host) = (handle, state, host)
        guard let bio = SocketBIO.make(state) else { throw TLSError(.library, "out of memory for a BIO") }
        // One BIO for both directions. The SSL takes ownership of the reference.
        SSL_set_bio(handle, bio, bio)
    }

    deinit {
        SSL_free(handle)
        state.deallocate()
    }

    /// Continues the handshake.
    /// - Throws: `.certificate`, `.noHTTP2`, `.handshake`, `.connection`.
    public func handshake() throws(TLSError) -> TLSStep {
        begin()
        let code = SSL_do_handshake(handle)
        if code == 1 {
            if host != nil, !agreedOnHTTP2 {
                let remedy = "check that host and port are those of the service, and that no proxy is in between"
                throw TLSError(.noHTTP2, "\(host ?? "the server") doesn't offer HTTP/2 (no ALPN h2): \(remedy)")
            }
            return .done(0)
        }
        guard SSL_get_error(handle, code) == SSL_ERROR_SSL else { return try step(code, "during the TLS handshake") }
        let verification = Int32(truncatingIfNeeded: SSL_get_verify_result(handle))
        if let host, verification != X509_V_OK { throw TLSError(verification: verification, host: host) }
        let text = TLSErrorQueue.text()
        // The server's alert 120 (RFC 7301 section 3.2).
        let kind: TLSError.Code = text.contains("no application protocol") ? .noHTTP2 : .handshake
        // A client's offer is in `TLSContext.client`.
        let needs = "; the server must offer TLS 1.3, or TLS 1.2 with ECDHE and AES-GCM or ChaCha20-Poly1305"
        let remedy = host == nil || kind == .noHTTP2 ? "" : needs
        throw TLSError(kind, "the TLS handshake with \(host ?? "the client") failed: \(text)\(remedy)")
    }

    /// The bytes that were read from the socket, with those of TLS itself.
    public var received: UInt64 { state.pointee.received }

    private func begin() {
        TLSErrorQueue.clear()
        state.pointee.reads = 0
    }

    private var agreedOnHTTP2: Bool {
        var protocolName: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(handle, &protocolName, &length)
        guard let protocolName, length == 2 else { return false }
        return protocolName[0] == UInt8(ascii: "h") && protocolName[1] == UInt8(ascii: "2")
    }

    /// Reads plain bytes, at most those of one record. More may be buffered inside, so only after `.wantsRead` should
    /// the descriptor be polled.
    public func read(into buffer: UnsafeMutableRawBufferPointer) throws(TLSError) -> TLSStep {
        begin()
        let count = SSL_read(handle, buffer.baseAddress, Int32(clamping: buffer.count))
        return count > 0 ? .done(Int(count)) : try step(count, "while reading")
    }

    /// Writes plain bytes, at most one record of 16,384 at once. After `.wantsRead` or `.wantsWrite`, a part may be
    /// sent: offer the same bytes again, and at least as many.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(TLSError) -> TLSStep {
        begin()
        let count = SSL_write(handle, bytes.baseAddress, Int32(clamping: bytes.count))
        return count > 0 ? .done(Int(count)) : try step(count, "while writing")
    }

    /// Sends close_notify, if the socket accepts it now.
    public func close() {
        guard SSL_is_init_finished(handle) == 1 else { return }
        TLSErrorQueue.clear()
        SSL_shutdown(handle)
        TLSErrorQueue.clear()
    }

    private func step(_ code: Int32, _ occasion: String) throws(TLSError) -> TLSStep {
        switch SSL_get_error(handle, code) {
        case SSL_ERROR_WANT_READ: return .wantsRead
        case SSL_ERROR_WANT_WRITE: return .wantsWrite
        case SSL_ERROR_ZERO_RETURN: return .closed
        case SSL_ERROR_SSL: throw TLSError(.connection(errno: 0), "TLS broke \(occasion): \(TLSErrorQueue.text())")
        default: throw lost(occasion)
        }
    }

    private func lost(_ occasion: String) -> TLSError {
        let number = state.pointee.failure
        let text = number == 0 ? "the peer closed it" : String(cString: strerror(number))
        return TLSError(.connection(errno: number), "the connection was lost \(occasion): \(text)")
    }
}

/// The result of one non-blocking TLS operation.
public enum TLSStep: Sendable, Equatable {
    /// This many plain bytes were read or accepted, at least 1. For a handshake: it is complete (0).
    case done(Int)
    case wantsRead
    /// Continue when the descriptor is writable, with the same bytes first.
    case wantsWrite
    /// The peer ended the stream with close_notify.
    case closed
}

/// The BIO that OpenSSL reads and writes sockets with. OpenSSL's own raises SIGPIPE on a closed connection, which would
/// end a process that doesn't ignore it. This one sends with MSG_NOSIGNAL, so programs need no precaution.
enum SocketBIO {
    /// Made once and never freed. nonisolated(unsafe): constant after its thread-safe initialisation, and only read.
    private nonisolated(unsafe) static let method: OpaquePointer? = {
        let kind = BIO_get_new_index() | BIO_TYPE_SOURCE_SINK
        guard let method = BIO_meth_new(kind, "socket without SIGPIPE") else { return nil }
        BIO_meth_set_read(method, socketRead)
        BIO_meth_set_write(method, socketWrite)
        // Nothing is buffered, so a flush always succeeds. No other command is supported.
        BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
        return method
    }()

    /// The SSL that gets the BIO owns it. `TLSConnection` owns `state` and frees it after the SSL.
    static func make(_ state: UnsafeMutablePointer<SocketState>) -> OpaquePointer? {
        guard let method, let bio = BIO_new(method) else { return nil }
        BIO_set_data(bio, state)
        BIO_set_init(bio, 1)
        return bio
    }
}

struct SocketState {
    /// The most reads of the socket within one operation. Else a peer whose messages hold no data (TLS 1.3's KeyUpdate
    /// and NewSessionTicket) could keep OpenSSL reading without end.
    static let mostReads = 4

    let descriptor: Int32
    /// Reads of the socket in the present operation.
    var reads = 0
    var received: UInt64 = 0
    /// errno of the last failure that a retry can't fix. 0 for an end of file.
    var failure: Int32 = 0
}

/// Performs a system call, again if a signal interrupts it. Tells OpenSSL whether to retry later.
private func transfer(_ bio: OpaquePointer?, _ direction: Int32, _ call: (inout SocketState) -> Int) -> Int32 {
    guard let state = BIO_get_data(bio)?.assumingMemoryBound(to: SocketState.self) else { return -1 }
    BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
    while true {
        let count = call(&state.pointee)
        if count >= 0 { return Int32(count) }
        if errno == EINTR { continue }
        if errno == EAGAIN {
            BIO_set_flags(bio, direction | BIO_FLAGS_SHOULD_RETRY)
        } else {
            state.pointee.failure = errno
        }
        return -1
    }
}

private func socketRead(_ bio: OpaquePointer?, _ buffer: UnsafeMutablePointer<CChar>?, _ length: Int32) -> Int32 {
    transfer(bio, BIO_FLAGS_READ) { state in
        guard state.reads < SocketState.mostReads else {
            // As if there were nothing to read.
            errno = EAGAIN
            return -1
        }
        state.reads += 1
        let count = recv(state.descriptor, buffer, Int(length), 0)
        guard count >= 0 else { return -1 }
        state.failure = 0
        state.received += UInt64(count)
        return count
    }
}

private func socketWrite(_ bio: OpaquePointer?, _ buffer: UnsafePointer<CChar>?, _ length: Int32) -> Int32 {
    transfer(bio, BIO_FLAGS_WRITE) { send($0.descriptor, buffer, Int(length), Int32(MSG_NOSIGNAL)) }
}
