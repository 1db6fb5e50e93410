import Glibc

/// A file for node_exporter's textfile collector. A reader always finds a complete page.
package struct MetricsFile: Sendable {
    /// The collector reads files whose names end in `.prom`.
    package let path: String

    package init(_ path: String) { self.path = path }

    /// Replaces the file by rename(2), with mode 0644. It is not synced: after a crash of the machine its content is
    /// outdated anyway.
    ///
    /// - Throws: `MetricsError` with code `.file`.
    package func write(_ page: [UInt8]) throws(MetricsError) {
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
    package func remove() { unlink(path) }

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

/// Why metrics can't be served or written, and what to do.
package struct MetricsError: Error, Sendable, Equatable, CustomStringConvertible {
    enum Code: Sendable { case listen, resources, file }

    private let code: Code
    /// The system's error number (errno).
    private let number: Int32
    /// The address or the file's path.
    private let place: String

    init(_ code: Code, _ place: String, _ number: Int32) {
        self.code = code
        self.place = place
        self.number = number
    }

    package var description: String {
        let cause = String(cString: strerror(number))
        let isRight = number == EROFS || number == EACCES || number == EPERM
        return switch code {
        case .listen: "can't listen on \(place) (\(cause)): \(listenRemedy)"
        case .resources:
            "no thread or descriptor is left to listen on \(place) (\(cause)): raise LimitNOFILE or TasksMax in the unit"
        case .file where isRight:
            "can't write \(place) (\(cause)): "
                + "let the service write to its folder, as /usr/share/doc/nudged/examples/metrics-file.conf does"
        case .file: "can't write \(place) (\(cause)): check the folder and its disk"
        }
    }

    private var listenRemedy: String {
        switch number {
        case EADDRINUSE: "another program has the port; give metrics.listen another one"
        // bind(2) itself never fails so. SocketBindDeny= of the unit does.
        case EPERM: "allow the port in the unit, as /usr/share/doc/nudged/examples/metrics-listen.conf does"
        default: "correct metrics.listen"
        }
    }
}
