import Glibc
import Synchronization

/// Where `nudged reload` finds the running daemon and reads what became of the reload: two files in the service's runtime directory.
///
/// A lock on `daemon.lock` says who runs: the kernel drops it with the process, whatever ended that, so nobody ever signals a stranger who was given an old
/// number. Nothing here may stop the daemon: what can't be written is only not told.
package final class ReloadBoard: Sendable {
    private let folder: String
    private let lock: Int32
    private let word = Mutex(ReloadWord())

    /// Where systemd makes it (`RuntimeDirectory=nudged`).
    static let standardFolder = "/run/nudged"

    /// The folder that systemd names, or nil: then nobody has made one for us.
    package static func path(_ environment: [String: String]) -> String? {
        // Several are separated by colons (systemd.exec(5)).
        environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first.map(String.init)
    }

    /// Takes the lock, and says that nothing was reloaded yet.
    package init(_ folder: String) {
        self.folder = folder
        lock = open(folder + "/" + Self.lockName, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        var whole = Self.wholeFile
        // Where another daemon has the folder, it stays that one's.
        if lock >= 0, fcntl(lock, F_SETLK, &whole) == 0 { write(ReloadWord()) }
    }

    deinit {
        if lock >= 0 { close(lock) }
    }

    /// A reload begins: from here on the files are read.
    func begin() {
        write(
            word.withLock { word in
                word.begun += 1
                return word
            }
        )
    }

    /// It is over.
    func end(faults: [String]) {
        write(
            word.withLock { word in
                word.done = word.begun
                word.faults = faults
                return word
            }
        )
    }

    /// By rename, so that a reader sees one whole word or another.
    private func write(_ word: ReloadWord) {
        let path = folder + "/" + Self.wordName
        let file = open(path + ".new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        let bytes = Array(word.json.utf8)
        let written = Glibc.write(file, bytes, bytes.count)
        close(file)
        if written == bytes.count { rename(path + ".new", path) }
    }

    static let lockName = "daemon.lock"
    static let wordName = "reload.json"

    static var wholeFile: flock {
        var whole = flock()
        whole.l_type = Int16(F_WRLCK)
        whole.l_whence = Int16(SEEK_SET)
        return whole
    }
}
