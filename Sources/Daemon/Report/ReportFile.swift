import Glibc

/// The file that a report becomes: whole or not at all, also for whoever looks while it is written.
public struct ReportFile: Sendable {
    private let path: String

    /// - Parameter path: an absent or a regular file; a link is followed.
    public init(_ path: String) {
        self.path = path
    }

    /// Takes the file's place by rename; mode 0644 less the process's mask, or that of the file that was there. The old one stays where that
    /// fails.
    public func write(_ text: String) throws(ReportFileError) {
        let (target, mode) = try target()
        let slash = target.lastIndex(of: "/")
        let folder = slash.map { String(target[...$0]) } ?? ""
        let temporary = "\(folder).nudged-report.\(getpid()).\(UInt32.random(in: .min ... .max))"
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw failure() }
        var number: Int32 = 0
        // What somebody closed to others stays closed, before there is anything to read.
        if let mode, fchmod(file, mode) != 0 { number = errno }
        if number == 0, !Self.write(Array(text.utf8), to: file) || fsync(file) != 0 { number = errno }
        // A network's file system may say only now that it is full.
        if Glibc.close(file) != 0, number == 0 { number = errno }
        if number == 0, rename(temporary, target) != 0 { number = errno }
        guard number == 0 else {
            unlink(temporary)
            throw ReportFileError(path: path, cause: .system(number))
        }
    }

    /// Where a link leads, and the mode of what is there; refused where something stands that is no file: a rename would put one in a device's place.
    private func target() throws(ReportFileError) -> (path: String, mode: mode_t?) {
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
        return (String(cString: found), status.st_mode & 0o777)
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
