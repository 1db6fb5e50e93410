import Glibc
package import Systemd

/// The three files that `nudged setup` writes. They are staged in a folder beside their places and moved there at the
/// end, so that a full disk is found before anything else is changed.
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

    /// - Parameter path: the configuration file.
    init(configuration path: String) {
        let slash = path.lastIndex(of: "/")
        folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        configuration = slash.map { String(path[path.index(after: $0)...]) } ?? path
    }

    var stage: String { "\(folder)/.setup" }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// Whether the file has this content and mode already.
    func isThere(_ file: File) -> Bool {
        var status = stat()
        return stat(path(file.name), &status) == 0 && status.st_mode & 0o777 == file.mode
            && (try? Self.read(path(file.name))) == file.bytes
    }

    /// Writes all files below `stage`.
    func stage(_ files: [File]) throws(SetUpFailure) {
        clear()
        for folder in [folder, path(Self.credentials), stage, "\(stage)/\(Self.credentials)"] {
            guard mkdir(folder, folder == self.folder ? 0o755 : 0o700) == 0 || errno == EEXIST else {
                throw .file(folder, errno)
            }
        }
        for file in files { try Self.write(file.bytes, to: "\(stage)/\(file.name)", file.mode) }
    }

    /// Moves the staged files to their places.
    func place(_ files: [File]) throws(SetUpFailure) {
        for file in files where rename("\(stage)/\(file.name)", path(file.name)) != 0 {
            throw .file(path(file.name), errno)
        }
        clear()
    }

    /// Removes what is staged.
    func clear() {
        for name in [Self.key, Self.url, configuration] { unlink("\(stage)/\(name)") }
        rmdir("\(stage)/\(Self.credentials)")
        rmdir(stage)
    }

    /// Removes the files. Returns those that were there.
    func remove() throws(SetUpFailure) -> [String] {
        clear()
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

    private static func write(_ bytes: [UInt8], to path: String, _ mode: mode_t) throws(SetUpFailure) {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .file(path, errno) }
        var number: Int32 = 0
        if Glibc.write(file, bytes, bytes.count) != bytes.count || fchmod(file, mode) != 0 || fsync(file) != 0 {
            number = errno == 0 ? ENOSPC : errno
        }
        if close(file) != 0, number == 0 { number = errno }
        guard number == 0 else { throw .file(path, number) }
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
        case .command(let command, let status): "\(command) ended with status \(status); run it again yourself"
        case .refused(let why, _): why
        }
    }
}
