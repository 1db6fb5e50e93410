import Glibc

/// A file for node_exporter's textfile collector: always a whole page, for whoever reads it.
public struct MetricsFile: Sendable, Equatable {
    /// Where it is; the collector reads those that end in `.prom`.
    public let path: String

    /// A place; nothing is written yet.
    public init(_ path: String) {
        self.path = path
    }

    /// Puts a page in place of the one before (rename(2)), readable by everyone. It is not synced: after a crash of the machine it is old anyway.
    ///
    /// - Throws: `.file`.
    public func write(_ page: [UInt8]) throws(MetricsError) {
        // A name that the collector doesn't read. What a dead daemon left may be another user's: it is replaced and not written over.
        let draft = path + ".new"
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw MetricsError(.file, path, errno) }
        // Whatever the umask: the collector is another user, and nothing secret stands in it.
        let isWritten = fchmod(descriptor, 0o644) == 0 && Self.write(page, to: descriptor)
        let number = isWritten ? 0 : errno
        close(descriptor)
        guard isWritten, rename(draft, path) == 0 else {
            let reason = isWritten ? errno : number
            unlink(draft)
            throw MetricsError(.file, path, reason)
        }
    }

    /// Takes it away: what a daemon that has stopped said is no news. Nothing is said where that fails; the file grows old and says it.
    public func remove() { unlink(path) }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count {
                let count = Glibc.write(descriptor, bytes.baseAddress.map { $0 + offset }, bytes.count - offset)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                offset += count
            }
            return true
        }
    }
}
