import Base
import Glibc
package import Service
import Systemd

/// It is replaced by rename, so that a reader finds the complete old file or the complete new one.
package struct ReportFile: Sendable {
    private let path: String

    /// - Parameter path: no file yet, or a regular file. A link is followed.
    package init(_ path: String) { self.path = path }

    /// Keeps the owner, group and mode as far as our rights allow. If it fails, the old file stays.
    package func write(_ text: String) throws(CommandFailure) {
        let (target, old) = try target()
        let folder = target.lastIndex(of: "/").map { String(target[...$0]) } ?? ""
        let temporary = "\(folder).nudged-report.\(getpid()).\(UInt32.random(in: .min ... .max))"
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, old == nil ? 0o644 : 0o600)
        guard file >= 0 else { throw failure() }
        var number: Int32 = 0
        if let old {
            // If the group can't be set, it gets no rights, so that nobody else can read the file. Errors are ignored:
            // some file systems have no owners.
            let isGroups = fchown(file, old.st_uid, old.st_gid) == 0 || fchown(file, .max, old.st_gid) == 0
            _ = fchmod(file, old.st_mode & (isGroups ? 0o777 : 0o707))
        }
        if !writeAll(Array(text.utf8), to: file) || fsync(file) != 0 { number = errno }
        // A network file system may report a full disk only on close.
        if Glibc.close(file) != 0, number == 0 { number = errno }
        if number == 0, rename(temporary, target) != 0 { number = errno }
        guard number == 0 else {
            unlink(temporary)
            throw failure(nil, number)
        }
    }

    /// The path behind a link, and the present file. A device or a pipe is refused: rename would replace it by a file.
    private func target() throws(CommandFailure) -> (path: String, old: stat?) {
        guard let status = Folder.facts(path) else {
            guard errno == ENOENT else { throw failure() }
            return (path, nil)
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw failure(": \(path) is a folder; name a file in it")
        default: throw failure(": \(path) is not a regular file; --html - writes to standard output")
        }
        guard let found = realpath(path, nil) else { throw failure() }
        defer { free(found) }
        return (String(cString: found), status)
    }

    private func failure(_ why: String? = nil, _ number: Int32 = errno) -> CommandFailure {
        let error = " to \(path): \(String(cString: strerror(number)))"
        return CommandFailure("the report can't be written\(why ?? error)", .ioError)
    }
}
