import Base
import Configuration
import Glibc
package import Service
import Systemd

/// The three files that `nudged setup` writes. Each is staged beside its place and moved there at the end, so that a
/// full disk, or a place that can't be written, is found before anything else is changed.
package struct SetUpFiles: Sendable {
    typealias File = (path: String, text: String, mode: mode_t)

    let folder: String
    /// If the path leads to a link, the file behind it. The secrets stay where the service reads them.
    let configuration: String
    package var credentials: String { "\(folder)/credentials" }
    package var key: String { "\(credentials)/apns.privateKey" }
    var url: String { "\(credentials)/database.url" }
    private var all: [String] { [key, url, configuration] }

    package init(configuration path: String) {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) }
        self.folder = Self.resolved(folder ?? ".")
        configuration = Self.resolved(path)
    }

    static func resolved(_ path: String) -> String {
        let found = realpath(path, nil)
        defer { free(found) }
        return found.map { String(cString: $0) } ?? path
    }

    /// In the same folder, since a rename does not leave a file system.
    static func staged(_ path: String) -> String { "\(path).setup" }

    /// Exists between a change of the files and the restart of the service.
    private var mark: String { "\(folder)/.restart.setup" }
    var isRestartDue: Bool { access(mark, F_OK) == 0 }
    func restarted() { unlink(mark) }

    package func check() throws(CommandFailure) {
        guard !configuration.isEmpty else { throw CommandFailure("--config names no file", .usage) }
        if access(folder, W_OK) != 0, errno != ENOENT { throw CommandFailure(file: folder, errno) }
        for path in all {
            let file = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK)
            if file >= 0 { close(file) } else if errno != ENOENT { throw CommandFailure(file: path, errno) }
        }
    }

    static func mode(_ path: String) -> mode_t? { Folder.facts(path).map { $0.st_mode & 0o777 } }
    static func text(_ path: String) -> String? { try? Credentials.readText(path, limit: 1 << 16) }
    static func has(_ file: File) -> Bool { mode(file.path) == file.mode && text(file.path) == file.text }

    /// Only one set-up or undo at a time. Closing the descriptor ends the lock.
    func lock() throws(CommandFailure) -> Int32 {
        try Self.make(folder, 0o755)
        let lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0 else { throw CommandFailure(file: folder, errno) }
        var status = stat()
        // An undo that has just ended may have removed the folder.
        guard flock(lock, LOCK_EX | LOCK_NB) == 0, fstat(lock, &status) == 0, status.st_nlink > 0 else {
            close(lock)
            throw CommandFailure("another nudged setup runs: wait for its end", .temporary)
        }
        return lock
    }

    private static func make(_ path: String, _ mode: mode_t) throws(CommandFailure) {
        if mkdir(path, mode) == 0 {
            chmod(path, mode)
        } else if errno != EEXIST {
            throw CommandFailure(file: path, errno)
        }
    }

    /// Writes all files beside their places, and the mark: later there may be no room for it.
    func stage(_ files: [File]) throws(CommandFailure) {
        try Self.make(credentials, 0o700)
        for file in files { try write(file.text, to: Self.staged(file.path), file.mode, after: file.path) }
        if !files.isEmpty, !isRestartDue { try write("", to: mark, 0o600, after: mark) }
    }

    static func place(_ files: [File]) throws(CommandFailure) {
        for one in files where rename(staged(one.path), one.path) != 0 { throw CommandFailure(file: one.path, errno) }
    }

    func clear() { for path in all { unlink(Self.staged(path)) } }

    /// Removes the files, and the folders unless they are the package's. Returns the files that were there.
    func remove() throws(CommandFailure) -> [String] {
        clear()
        restarted()
        var gone: [String] = []
        for one in all {
            if unlink(one) == 0 { gone.append(one) } else if errno != ENOENT { throw CommandFailure(file: one, errno) }
        }
        if !ConfigurationLoader.defaultPath.hasPrefix("\(folder)/") {
            // A folder that holds something else stays.
            for folder in [credentials, folder] { rmdir(folder) }
        }
        return gone
    }

    /// It gets the owner of the file `old`. If it fails, it leaves the file, for `clear`.
    private func write(_ text: String, to path: String, _ mode: mode_t, after old: String) throws(CommandFailure) {
        unlink(path)
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw CommandFailure(file: path, errno) }
        defer { close(file) }
        if let present = Folder.facts(old) { _ = fchown(file, present.st_uid, present.st_gid) }
        guard writeAll(Array("\(text)\n".utf8), to: file), fchmod(file, mode) == 0, fsync(file) == 0
        else { throw CommandFailure(file: path, errno) }
    }
}
