import COpenSSL
import Glibc

/// What OpenSSL reads and writes sockets through.
///
/// Its own socket BIO calls write, which raises SIGPIPE on a connection that is gone and would end a process that doesn't ignore it;
/// this one sends with MSG_NOSIGNAL, so no program that links this library has to know.
enum SocketBIO {
    /// Set up once and kept for the life of the process.
    ///
    /// nonisolated(unsafe): a constant after its (thread-safe) initialisation, which OpenSSL only reads.
    private nonisolated(unsafe) static let method: OpaquePointer? = {
        let kind = BIO_get_new_index() | BIO_TYPE_SOURCE_SINK
        guard let method = BIO_meth_new(kind, "socket without SIGPIPE") else { return nil }
        BIO_meth_set_read(method, socketRead)
        BIO_meth_set_write(method, socketWrite)
        BIO_meth_set_ctrl(method, socketControl)
        return method
    }()

    /// A BIO on the connection's descriptor; owned by the SSL that it is given to. The state is `TLSConnection`'s, which frees the SSL first.
    static func make(_ state: UnsafeMutablePointer<SocketState>) -> OpaquePointer? {
        guard let method, let bio = BIO_new(method) else { return nil }
        BIO_set_data(bio, state)
        BIO_set_init(bio, 1)
        return bio
    }
}

/// What a socket BIO works on and remembers.
struct SocketState {
    let descriptor: Int32
    /// errno of the last failure that a retry won't mend; 0 for an end of file.
    var failure: Int32 = 0
}

private func socketState(_ bio: OpaquePointer?) -> UnsafeMutablePointer<SocketState>? {
    BIO_get_data(bio)?.assumingMemoryBound(to: SocketState.self)
}

private func socketRead(_ bio: OpaquePointer?, _ buffer: UnsafeMutablePointer<CChar>?, _ length: Int32) -> Int32 {
    guard let state = socketState(bio) else { return -1 }
    BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
    while true {
        let count = recv(state.pointee.descriptor, buffer, Int(length), 0)
        if count >= 0 {
            state.pointee.failure = 0
            return Int32(count)
        }
        if errno == EINTR { continue }
        if errno == EAGAIN {
            BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
        } else {
            state.pointee.failure = errno
        }
        return -1
    }
}

private func socketWrite(_ bio: OpaquePointer?, _ buffer: UnsafePointer<CChar>?, _ length: Int32) -> Int32 {
    guard let state = socketState(bio) else { return -1 }
    BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
    while true {
        let count = send(state.pointee.descriptor, buffer, Int(length), Int32(MSG_NOSIGNAL))
        if count >= 0 { return Int32(count) }
        if errno == EINTR { continue }
        if errno == EAGAIN {
            BIO_set_flags(bio, BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
        } else {
            state.pointee.failure = errno
        }
        return -1
    }
}

private func socketControl(
    _ bio: OpaquePointer?,
    _ command: Int32,
    _ number: Int,
    _ pointer: UnsafeMutableRawPointer?
) -> Int {
    // Nothing is buffered, so a flush has always succeeded; whatever else is asked isn't there.
    command == BIO_CTRL_FLUSH ? 1 : 0
}
