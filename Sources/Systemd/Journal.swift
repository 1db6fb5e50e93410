import Base
import CLinux
import Glibc

/// Sends entries to the journal's socket with the native protocol.
package final class Journal: Sendable {
    private let address: UnixAddress
    private let socket: DatagramSocket
    /// Whether the last send met a full queue. Then the next one doesn't wait. So a stopped journald delays one line by
    /// a tenth of a second, and not every line.
    private let congested = Mutex(false)

    /// Nil if the path is invalid or no socket can be made. Doesn't check whether journald listens: it may start later.
    package init?(socketPath: String = "/run/systemd/journal/socket") {
        guard let address = UnixAddress(socketPath), let socket = DatagramSocket(patience: .milliseconds(100))
        else { return nil }
        (self.address, self.socket) = (address, socket)
    }

    /// Whether standard error goes to the journal. `JOURNAL_STREAM` holds `device:inode` of the service's stream. If
    /// standard error was redirected, a process inherits the variable but not the stream (systemd.exec(5)).
    package static func isConnected(environment: [String: String], descriptor: Int32 = 2) -> Bool {
        guard let parts = environment["JOURNAL_STREAM"]?.split(separator: ":", omittingEmptySubsequences: false),
            parts.count == 2,
            let device = UInt(parts[0]), let inode = UInt(parts[1])
        else { return false }
        var file = stat()
        return fstat(descriptor, &file) == 0 && file.st_dev == device && file.st_ino == inode
    }

    /// Sends one entry. Returns false if it was lost: journald doesn't listen, or its queue stayed full. The
    /// fields keep their order, and a name may occur more than once. Names follow the journal's rule: `A-Z`, `0-9` and
    /// `_`, with a letter first, at most 64 bytes. Values are any text.
    package func send(_ entry: [(name: String, value: String)]) -> Bool {
        let bytes = Self.encoded(entry)
        let wait = !congested.withLock { $0 }
        var outcome = socket.send(bytes, to: address, wait: wait)
        if outcome == .tooLarge { outcome = sendAsFile(bytes, wait: wait) }
        congested.withLock { $0 = outcome == .congested }
        return outcome == .sent
    }

    /// Sends an entry that is too large for a datagram: as a memory file that can't change any more.
    private func sendAsFile(_ bytes: [UInt8], wait: Bool) -> DatagramSocket.Outcome {
        // MFD_CLOEXEC, MFD_ALLOW_SEALING
        let file = nudged_memfd_create("nudged-journal-entry", 1 | 2)
        guard file >= 0 else { return .failed }
        defer { close(file) }
        // F_ADD_SEALS with F_SEAL_SEAL, SHRINK, GROW and WRITE. journald refuses a memfd with fewer.
        guard writeAll(bytes, to: file), fcntl(file, 1033, 1 | 2 | 4 | 8) == 0 else { return .failed }
        return socket.send([], to: address, attachment: file, wait: wait)
    }

    /// The journal's spelling of a key: `NUDGED_SWEEP_ID` for `sweep_id`.
    static func fieldName(_ key: String) -> String {
        let name = "NUDGED_\(key.uppercased())".utf8.prefix(64).map { byte in
            (65...90).contains(byte) || (48...57).contains(byte) ? byte : UInt8(ascii: "_")
        }
        return String(decoding: name, as: UTF8.self)
    }

    /// The datagram of the native protocol (systemd, "Native Journal Protocol"). A field is `NAME=value\n`. If the
    /// value has a newline: the name, a newline, the value's length in 8 bytes little endian, the value and a newline.
    private static func encoded(_ fields: [(name: String, value: String)]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (name, value) in fields {
            bytes += name.utf8
            let value = Array(value.utf8)
            if value.contains(UInt8(ascii: "\n")) {
                bytes.append(UInt8(ascii: "\n"))
                withUnsafeBytes(of: UInt64(value.count).littleEndian) { bytes += $0 }
            } else {
                bytes.append(UInt8(ascii: "="))
            }
            bytes += value
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }
}

/// An unconnected AF_UNIX datagram socket. Each datagram names its receiver, so a restarted receiver still gets it.
final class DatagramSocket: Sendable {
    enum Outcome {
        case sent, congested
        /// The datagram is too large for the socket or the receiver (EMSGSIZE, ENOBUFS).
        case tooLarge
        /// No process listens there, or another error.
        case failed
    }

    private let descriptor: Int32

    init?(patience: Duration) {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        let (seconds, rest) = Int(patience / .microseconds(1)).quotientAndRemainder(dividingBy: 1_000_000)
        var limit = timeval(tv_sec: seconds, tv_usec: rest)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        // Most entries should fit in one datagram. The kernel's limit is net.core.wmem_max.
        var size: Int32 = 8 << 20
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// - Parameter attachment: an open descriptor that the receiver gets a copy of. -1: none.
    func send(_ bytes: [UInt8], to address: UnixAddress, attachment: Int32 = -1, wait: Bool = true) -> Outcome {
        let flags = wait ? 0 : Int32(MSG_DONTWAIT)
        let error = address.withSocketAddress { to, length in
            bytes.withUnsafeBytes { nudged_send(descriptor, to, length, $0.baseAddress, $0.count, attachment, flags) }
        }
        switch error {
        case 0: return .sent
        case EAGAIN: return .congested
        case EMSGSIZE, ENOBUFS: return .tooLarge
        default: return .failed
        }
    }
}

/// The address of an AF_UNIX socket: a path, or a name in Linux's abstract namespace (unix(7)).
package struct UnixAddress: Sendable, Equatable {
    /// The bytes of `sun_path`. An abstract name has its leading zero, and a path has no closing zero.
    let path: [UInt8]

    /// - Parameter text: an absolute path, or `@name` for an abstract name, as in `NOTIFY_SOCKET`. Nil for others.
    package init?(_ text: String) {
        var bytes = Array(text.utf8)
        guard let first = bytes.first, bytes.count > 1, !bytes.contains(0) else { return nil }
        guard first == UInt8(ascii: "/") || first == UInt8(ascii: "@") else { return nil }
        if first == UInt8(ascii: "@") { bytes[0] = 0 }
        // One byte is left for the closing zero, which getsockname(2) shows to other programs.
        guard bytes.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else { return nil }
        path = bytes
    }

    /// Calls `body` with the address in the form that socket calls need.
    func withSocketAddress<R>(_ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> R) -> R {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        // The length ends an abstract name, so trailing zeros would be a part of it.
        let header = MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? MemoryLayout<sa_family_t>.size
        let length = socklen_t(header + path.count + (path.first == 0 ? 0 : 1))
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }
}
