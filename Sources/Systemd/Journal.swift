import Glibc
import Base

/// Sends entries to the journal's socket with the native protocol.
public final class Journal: Sendable {
    /// The socket that journald listens on.
    public static let defaultSocket = "/run/systemd/journal/socket"

    private let address: UnixAddress
    private let socket: DatagramSocket
    /// Whether the last send met a full queue. Then the next one doesn't wait. So a stopped journald delays one line by
    /// a tenth of a second, and not every line.
    private let congested = Mutex(false)

    /// Nil if the path is invalid or no socket can be made. Doesn't check whether journald listens: it may start later.
    public init?(socketPath: String = Journal.defaultSocket) {
        guard let address = UnixAddress(socketPath), let socket = DatagramSocket(patience: .milliseconds(100)) else {
            return nil
        }
        self.address = address
        self.socket = socket
    }

    /// Whether standard error goes to the journal. `JOURNAL_STREAM` holds `device:inode` of the stream that systemd
    /// gave the service. A process whose standard error was redirected inherits the variable but not the stream
    /// (systemd.exec(5)).
    public static func isConnected(environment: [String: String], descriptor: Int32 = 2) -> Bool {
        guard let parts = environment["JOURNAL_STREAM"]?.split(separator: ":", omittingEmptySubsequences: false),
            parts.count == 2,
            let device = UInt(parts[0]), let inode = UInt(parts[1])
        else { return false }
        var file = stat()
        return fstat(descriptor, &file) == 0 && file.st_dev == device && file.st_ino == inode
    }

    /// Sends one entry. Returns false if it was lost: journald doesn't listen, or its queue stayed full.
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
