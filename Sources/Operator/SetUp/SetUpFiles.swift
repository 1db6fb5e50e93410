import Glibc
package import Systemd

/// The three files that `nudged setup` writes. Each is staged beside its place and moved there at the end, so that a
/// full disk, or a place that can't be written, is found before anything else is changed.
struct SetUpFiles: Sendable {
    struct File: Sendable {
        /// In the configuration's folder.
        let name: String
        let bytes: [UInt8]
        let mode: mode_t
    }

    static let credentials = "credentials"
    static let key = "\(credentials)/apns.privateKey"
    static let url = "\(credentials)/database.url"

    /// Such as /etc/nudged.
    let folder: String
    /// The file's name in it.
    let configuration: String

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
        var parts = name.split(separator: "/").map(String.init)
        parts[parts.count - 1] = ".\(parts[parts.count - 1]).setup"
        return path(parts.joined(separator: "/"))
    }

    /// Exists between a change of the files and the restart of the service.
    private var mark: String { path(".restart.setup") }
    var isRestartDue: Bool { access(mark, F_OK) == 0 }
    func restarted() { unlink(mark) }

    /// What is wrong with the places, before anything is written.
    func check() throws(SetUpFailure) {
        guard !configuration.isEmpty else { throw .refused("--config names no file", .usage) }
        let parent = folder.lastIndex(of: "/").map { folder[..<$0] } ?? "."
        guard access(folder, W_OK) == 0 || access(parent.isEmpty ? "/" : String(parent), W_OK) == 0 else {
            throw .file(folder, errno)
        }
        for target in [Self.key, Self.url, configuration].map(path) {
            let file = open(target, O_WRONLY | O_CLOEXEC | O_NONBLOCK)
            guard file >= 0 else {
                if errno == ENOENT { continue }
                throw .file(target, errno)
            }
            close(file)
        }
    }

    /// The mode of a file that is there.
    func mode(_ name: String) -> mode_t? {
        var status = stat()
        return stat(path(name), &status) == 0 ? status.st_mode & 0o777 : nil
    }

    /// Whether the file has this content and mode already.
    func isThere(_ file: File) -> Bool {
        mode(file.name) == file.mode && (try? Self.read(path(file.name))) == file.bytes
    }

    /// Only one set-up at a time. Closing the descriptor ends the lock.
    func lock() throws(SetUpFailure) -> Int32 {
        for (folder, mode) in [(folder, mode_t(0o755)), (path(Self.credentials), 0o700)] {
            if mkdir(folder, mode) == 0 { chmod(folder, mode) } else if errno != EEXIST { throw .file(folder, errno) }
        }
        let file = open(path(Self.credentials), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard file >= 0 else { throw .file(path(Self.credentials), errno) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            close(file)
            throw .refused("another nudged setup runs: wait for its end", .temporary)
        }
        return file
    }

    /// Writes all files beside their places.
    func stage(_ files: [File]) throws(SetUpFailure) {
        for file in files { try Self.write(file.bytes, to: staged(file.name), file.mode, after: path(file.name)) }
    }

    /// Reads the staged configuration.
    var stagedConfiguration: String { staged(configuration) }

    /// Moves the staged files to their places.
    func place(_ files: [File]) throws(SetUpFailure) {
        if !files.isEmpty { try Self.write([], to: mark, 0o600, after: mark) }
        for file in files where rename(staged(file.name), path(file.name)) != 0 {
            throw .file(path(file.name), errno)
        }
    }

    /// Removes what is staged.
    func clear() { for name in [Self.key, Self.url, configuration] { unlink(staged(name)) } }

    /// Removes the files. Returns those that were there.
    func remove() throws(SetUpFailure) -> [String] {
        clear()
        restarted()
        var removed: [String] = []
        for path in [Self.key, Self.url, configuration].map(path) {
            if unlink(path) == 0 { removed.append(path) } else if errno != ENOENT { throw .file(path, errno) }
        }
        return removed
    }

    static func read(_ path: String) throws(SetUpFailure) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw .file(path, errno) }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = Glibc.read(file, &bytes, bytes.count)
        guard count >= 0 else { throw .file(path, errno) }
        return Array(bytes[..<count])
    }

    /// - Parameter old: the file whose owner it gets.
    private static func write(
        _ bytes: [UInt8],
        to path: String,
        _ mode: mode_t,
        after old: String
    ) throws(SetUpFailure) {
        unlink(path)
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .file(path, errno) }
        var status = stat()
        if stat(old, &status) == 0 { _ = fchown(file, status.st_uid, status.st_gid) }
        let count = Glibc.write(file, bytes, bytes.count)
        var number: Int32 = count < 0 ? errno : count < bytes.count ? ENOSPC : 0
        if number == 0, fchmod(file, mode) != 0 || fsync(file) != 0 { number = errno }
        if close(file) != 0, number == 0 { number = errno }
        guard number == 0 else {
            unlink(path)
            throw .file(path, number)
        }
    }
}

/// Why a set-up ended. What was done before it stays right: the same command goes on from there.
package enum SetUpFailure: CommandFailure {
    /// A file or folder, and errno.
    case file(String, Int32)
    case answers([String])
    case login(String)
    /// A command, and how it ended.
    case command(String, Int32)
    case refused(String, ExitStatus)

    package var exitStatus: ExitStatus {
        switch self {
        case .file(_, EACCES), .file(_, EPERM): .permission
        case .file: .ioError
        case .answers: .configuration
        case .login, .command: .unavailable
        case .refused(_, let status): status
        }
    }

    package var description: String {
        switch self {
        case .file(let path, let number):
            "\(path): \(String(cString: strerror(number)))" + (number == EACCES ? "; run it as root" : "")
        case .answers(let lines): (["nothing was changed"] + lines).joined(separator: "\n")
        case .login(let why): why
        case .command(let command, let status):
            "\(command) ended with status \(status): see journalctl -u nudged -n 20, then run nudged setup again"
        case .refused(let why, _): why
        }
    }
}
