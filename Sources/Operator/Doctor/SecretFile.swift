import Glibc

/// A file that holds a secret. Only its permissions are read, not its content.
struct SecretFile: Sendable, Equatable {
    let path: String
    /// The permission bits. Nil if they can't be read.
    let mode: mode_t?
    /// The permission bits of its folder. Nil if they can't be read.
    let folderMode: mode_t?
    /// Whether the file or its folder belongs to neither root nor the user who runs this process.
    let isForeign: Bool

    init(path: String, mode: mode_t?, folderMode: mode_t? = 0o755, isForeign: Bool = false) {
        self.path = path
        self.mode = mode
        self.folderMode = folderMode
        self.isForeign = isForeign
    }

    /// Reads the permissions of the file at that path. Links are followed.
    init(lookingAt path: String) {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let (file, around) = (Self.facts(path), Self.facts(folder.isEmpty ? "/" : folder))
        self.init(
            path: path,
            mode: file.map { $0.st_mode & 0o7777 },
            folderMode: around.map { $0.st_mode & 0o7777 },
            isForeign: [file, around].contains { $0.map { $0.st_uid != 0 && $0.st_uid != geteuid() } ?? false }
        )
    }

    /// The files in a folder, sorted by name, without hidden ones. Empty if it can't be listed.
    static func inFolder(_ path: String) -> [SecretFile] {
        Folder.names(path).map { SecretFile(lookingAt: "\(path)/\($0)") }
    }

    private static func facts(_ path: String) -> stat? {
        var facts = stat()
        return stat(path, &facts) == 0 ? facts : nil
    }

    /// Whether its mode lets every user of the machine read it. The folder's mode does not count here: it may change.
    var isOpen: Bool { mode.map { $0 & 0o004 != 0 } ?? false }

    /// Whether every user can enter its folder.
    var isFolderOpen: Bool { folderMode.map { $0 & 0o001 != 0 } ?? false }

    /// Whether owner or mode of the file or its folder let others replace the secret. Folders above are not checked here.
    var isReplaceable: Bool {
        // In a folder with the sticky bit only owners can delete files.
        let isFolderOpen = folderMode.map { $0 & 0o022 != 0 && $0 & 0o1000 == 0 } ?? false
        return isForeign || isFolderOpen || mode.map { $0 & 0o022 != 0 } ?? false
    }

    /// `0640`.
    var modeText: String {
        guard let mode else { return "?" }
        let digits = String(mode & 0o777, radix: 8)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
