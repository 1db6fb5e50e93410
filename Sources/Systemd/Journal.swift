import Glibc
import Locks

/// The journal's socket, spoken to by the native protocol.
public final class Journal: Sendable {
    /// Where journald listens.
    public static let defaultSocket = "/run/systemd/journal/socket"

    private let address: UnixAddress
    private let socket: DatagramSocket
    /// Whether the last send met a full queue: then the next one does not wait, so that a stopped journald costs a tenth of a second once
    /// and not at every line.
    private let congested = Mutex(false)

    /// Nil where the path is none or no socket can be made. That journald listens is not asked here: it may come later.
    public init?(socketPath: String = Journal.defaultSocket) {
        guard let address = UnixAddress(socketPath), let socket = DatagramSocket(patience: .milliseconds(100)) else {
            return nil
        }
        self.address = address
        self.socket = socket
    }

    /// Whether standard error leads to the journal: `JOURNAL_STREAM` holds `device:inode` of the stream that systemd gave the service, and
    /// a process whose stderr was redirected since has inherited the variable but not the stream (systemd.exec(5)).
    public static func isConnected(environment: [String: String], descriptor: Int32 = 2) -> Bool {
        guard let parts = environment["JOURNAL_STREAM"]?.split(separator: ":", omittingEmptySubsequences: false),
            parts.count == 2,
            let device = UInt(parts[0]), let inode = UInt(parts[1])
        else { return false }
        var file = stat()
        return fstat(descriptor, &file) == 0 && file.st_dev == device && file.st_ino == inode
    }

    /// Hands over one entry; false where it was lost (nobody listens, or the queue stayed full).
    @discardableResult
    public func send(_ entry: JournalEntry) -> Bool {
        let bytes = entry.encoded()
        let wait = !congested.withLock { $0 }
        var outcome = socket.send(bytes, to: address, wait: wait)
        if outcome == .tooLarge { outcome = sendAsFile(bytes, wait: wait) }
        congested.withLock { $0 = outcome == .congested }
        return outcome == .sent
    }

    private func sendAsFile(_ bytes: [UInt8], wait: Bool) -> DatagramSocket.Outcome {
        guard let memory = SealedMemory(bytes) else { return .failed(ENOMEM) }
        return socket.send([], to: address, attachment: memory.descriptor, wait: wait)
    }
}
