import Glibc
import Systemd

/// The three files that `nudged setup` writes. Each is staged beside its place and moved there at the end, so that a
/// full disk, or a place that can't be written, is found before anything else is changed.
struct SetUpFiles: Sendable {
    struct File: Sendable {
        /// In the configuration's folder.
        let name: String
        /// Without the line break at its end.
        let text: String
        let mode: mode_t
    }

    static let credentials = "credentials"
    static let key = "\(credentials)/apns.privateKey"
    static let url = "\(credentials)/database.url"

    /// Such as /etc/nudged.
    let folder: String
    /// The file's name in it.
    let configuration: String
    private var names: [String] { [Self.key, Self.url, configuration] }

    /// - Parameter path: the configuration file. If it is a link, the file that it leads to is meant.
    init(configuration path: String) {
        let found = realpath(path, nil)
        defer { free(found) }
        let path = found.map { String(cString: $0) } ?? path
        let slash = path.lastIndex(of: "/")
        folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        configuration = slash.map { String(path[path.index(after: $0)...]) } ?? path
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// Where a file is staged: in the same folder, since a rename does not leave a file system.
    private func staged(_ name: String) -> String {
        let parts = name.split(separator: "/")
        return path((parts.dropLast() + [".\(parts.last ?? "").setup"]).joined(separator: "/"))
    }

    var stagedConfiguration: String { staged(configuration) }

    /// Exists between a change of the files and the restart of the service.
    private var mark: String { path(".restart.setup") }
    var isRestartDue: Bool { access(mark, F_OK) == 0 }
    func restarted() { unlink(mark) }

    /// What is wrong with the places, before anything is written.
    func check() throws(SetUpFailure) {
        guard !configuration.isEmpty else { throw SetUpFailure("--config names no file", .usage) }
        if access(folder, W_OK) != 0, errno != ENOENT { throw SetUpFailure(file: folder, errno) }
        for target in names.map(path) {
            let file = open(target, O_WRONLY | O_CLOEXEC | O_NONBLOCK)
            if file >= 0 { close(file) } else if errno != ENOENT { throw SetUpFailure(file: target, errno) }
        }
    }

    /// The mode of a file that is there.
    func mode(_ name: String) -> mode_t? {
        var status = stat()
        return stat(path(name), &status) == 0 ? status.st_mode & 0o777 : nil
    }

    func text(_ name: String) -> String? { try? Credentials.readText(path(name), limit: 1 << 16) }

    /// Whether the file has this content and mode already.
    func isThere(_ file: File) -> Bool { mode(file.name) == file.mode && text(file.name) == file.text }

    /// Only one set-up at a time. Closing the descriptor ends the lock.
    func lock() throws(SetUpFailure) -> Int32 {
        for (folder, mode) in [(folder, mode_t(0o755)), (path(Self.credentials), 0o700)] {
            if mkdir(folder, mode) == 0 {
                chmod(folder, mode)
            } else if errno != EEXIST {
                throw SetUpFailure(file: folder, errno)
            }
        }
        let file = open(path(Self.credentials), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard file >= 0 else { throw SetUpFailure(file: path(Self.credentials), errno) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            close(file)
            throw SetUpFailure("another nudged setup runs: wait for its end", .temporary)
        }
        return file
    }

    /// Writes all files beside their places, and the mark: later there may be no room for it.
    func stage(_ files: [File]) throws(SetUpFailure) {
        for file in files { try Self.write(file.text, to: staged(file.name), file.mode, after: path(file.name)) }
        if !files.isEmpty, !isRestartDue { try Self.write("", to: mark, 0o600, after: mark) }
    }

    /// Moves the staged files to their places.
    func place(_ files: [File]) throws(SetUpFailure) {
        for file in files where rename(staged(file.name), path(file.name)) != 0 {
            throw SetUpFailure(file: path(file.name), errno)
        }
    }

    /// Removes what is staged.
    func clear() { for name in names { unlink(staged(name)) } }

    /// Removes the files. Returns those that were there.
    func remove() throws(SetUpFailure) -> [String] {
        clear()
        restarted()
        var removed: [String] = []
        for path in names.map(path) {
            if unlink(path) == 0 {
                removed.append(path)
            } else if errno != ENOENT {
                throw SetUpFailure(file: path, errno)
            }
        }
        return removed
    }

    /// - Parameter old: the file whose owner it gets.
    private static func write(_ text: String, to path: String, _ mode: mode_t, after old: String) throws(SetUpFailure) {
        let bytes = Array("\(text)\n".utf8)
        unlink(path)
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw SetUpFailure(file: path, errno) }
        defer { close(file) }
        var status = stat()
        if stat(old, &status) == 0 { _ = fchown(file, status.st_uid, status.st_gid) }
        // Of a write that ends early.
        errno = ENOSPC
        guard Glibc.write(file, bytes, bytes.count) == bytes.count, fchmod(file, mode) == 0, fsync(file) == 0 else {
            let failure = SetUpFailure(file: path, errno)
            unlink(path)
            throw failure
        }
    }
}
