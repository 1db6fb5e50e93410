import Glibc

/// A file that holds a secret, as the file system shows it to others. What is in it is not read.
struct SecretFile: Sendable, Equatable {
    let path: String
    /// The permission bits; nil: it can't be looked at.
    let mode: mode_t?
    /// The same of the folder that it lies in.
    let folderMode: mode_t?

    init(path: String, mode: mode_t?, folderMode: mode_t? = 0o755) {
        self.path = path
        self.mode = mode
        self.folderMode = folderMode
    }

    /// Looks at the file of that path, through links.
    init(lookingAt path: String) {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        self.init(path: path, mode: Self.mode(path), folderMode: Self.mode(folder.isEmpty ? "/" : folder))
    }

    /// The files in a folder, sorted; none where it can't be listed.
    static func inFolder(_ path: String) -> [SecretFile] {
        Folder.names(path).map { SecretFile(lookingAt: "\(path)/\($0)") }
    }

    private static func mode(_ path: String) -> mode_t? {
        var facts = stat()
        return stat(path, &facts) == 0 ? facts.st_mode & 0o7777 : nil
    }

    /// Every user of the machine can read it. (A folder that they can't enter would keep them out, and does until somebody opens it.)
    var isOpen: Bool { mode.map { $0 & 0o004 != 0 } ?? false }

    /// Every user can come to it.
    var isFolderOpen: Bool { folderMode.map { $0 & 0o001 != 0 } ?? false }

    /// Others than its owner can put another secret in its place.
    var isReplaceable: Bool {
        // Of a folder with the sticky bit only owners take files away.
        let isFolderOpen = folderMode.map { $0 & 0o022 != 0 && $0 & 0o1000 == 0 } ?? false
        return isFolderOpen || mode.map { $0 & 0o022 != 0 } ?? false
    }

    /// `0640`.
    var modeWords: String {
        guard let mode else { return "?" }
        let digits = String(mode & 0o777, radix: 8)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
