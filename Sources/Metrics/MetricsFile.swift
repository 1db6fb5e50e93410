import Glibc

/// A file for node_exporter's textfile collector. A reader always finds a complete page.
public struct MetricsFile: Sendable, Equatable {
    /// The file's path. The collector reads files whose names end in `.prom`.
    public let path: String

    /// - Parameter path: where to write. The initialiser writes nothing.
    public init(_ path: String) {
        self.path = path
    }

    /// Replaces the file by rename(2), with mode 0644. It is not synced: after a crash of the machine its content is
    /// outdated anyway.
    ///
    /// - Throws: `MetricsError` with code `.file`.
    public func write(_ page: [UInt8]) throws(MetricsError) {
        // The collector ignores this name. A draft of a dead daemon may belong to another user, so it is removed, not
        // overwritten.
        let draft = path + ".new"
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw MetricsError(.file, path, errno) }
        // The umask must not count: the collector is another user. The page holds no secret.
        let isWritten = fchmod(descriptor, 0o644) == 0 && Self.write(page, to: descriptor)
        let number = isWritten ? 0 : errno
        close(descriptor)
        guard isWritten, rename(draft, path) == 0 else {
            let reason = isWritten ? errno : number
            unlink(draft)
            throw MetricsError(.file, path, reason)
        }
    }

    /// Deletes the file, because a stopped daemon's metrics are outdated. Errors are ignored: the file's age shows that
    /// it is old.
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
