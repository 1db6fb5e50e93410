import COpenSSL
import Glibc

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
