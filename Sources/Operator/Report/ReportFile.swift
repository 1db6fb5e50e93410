import Glibc

/// The file that a report becomes: whole or not at all, also for whoever looks while it is written.
package struct ReportFile: Sendable {
    private let path: String

    /// - Parameter path: an absent or a regular file; a link is followed.
    package init(_ path: String) {
        self.path = path
    }

    /// Takes the file's place by rename; mode 0644 less the process's mask, or owner, group and mode of the file that was there, as far as we may. The old
    /// one stays where that fails.
    package func write(_ text: String) throws(ReportFileError) {
        let (target, old) = try target()
        let slash = target.lastIndex(of: "/")
        let folder = slash.map { String(target[...$0]) } ?? ""
        let temporary = "\(folder).nudged-report.\(getpid()).\(UInt32.random(in: .min ... .max))"
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, old == nil ? 0o644 : 0o600)
        guard file >= 0 else { throw failure() }
        var number: Int32 = 0
        if let old { Self.take(after: old, file) }
        if !Self.write(Array(text.utf8), to: file) || fsync(file) != 0 { number = errno }
        // A network's file system may say only now that it is full.
        if Glibc.close(file) != 0, number == 0 { number = errno }
        if number == 0, rename(temporary, target) != 0 { number = errno }
        guard number == 0 else {
            unlink(temporary)
            throw ReportFileError(path: path, cause: .system(number))
        }
    }

    /// Who could read the old file can read the new one, and nobody else: without its group nothing is the group's. Where the file system knows no such thing, it
    /// stays as it is.
    private static func take(after old: stat, _ file: Int32) {
        let isGroups = fchown(file, old.st_uid, old.st_gid) == 0 || fchown(file, .max, old.st_gid) == 0
        _ = fchmod(file, old.st_mode & (isGroups ? 0o777 : 0o707))
    }

    /// Where a link leads, and what is there; refused where something stands that is no file: a rename would put one in a device's place.
    private func target() throws(ReportFileError) -> (path: String, old: stat?) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw failure() }
            return (path, nil)
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw ReportFileError(path: path, cause: .folder)
        default: throw ReportFileError(path: path, cause: .noFile)
        }
        guard let found = realpath(path, nil) else { throw failure() }
        defer { free(found) }
        return (String(cString: found), status)
    }

    private func failure() -> ReportFileError { ReportFileError(path: path, cause: .system(errno)) }

    private static func write(_ bytes: [UInt8], to file: Int32) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count {
                let written = Glibc.write(file, bytes.baseAddress.map { $0 + offset }, bytes.count - offset)
                if written < 0 && errno == EINTR { continue }
                guard written > 0 else { return false }
                offset += written
            }
            return true
        }
    }
}
