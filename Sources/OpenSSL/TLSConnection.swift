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
