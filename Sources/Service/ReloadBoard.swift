import Glibc
import JSON
import Synchronization

/// Tells `nudged reload` which daemon runs here and the result of its last reload, with two files in the service's
/// runtime directory.
///
/// The daemon holds a lock on `daemon.lock`. The kernel releases it when the process ends, so a signal never reaches
/// another process that got the same id. Failures here never stop the daemon.
package final class ReloadBoard: Sendable {
    private let folder: String
    /// -1 if another daemon has the lock: its file must not change.
    private let lock: Int32
    private let word = Mutex(ReloadWord())

    /// Made by systemd (`RuntimeDirectory=nudged`).
    static let standardFolder = "/run/nudged"

    /// The folder that systemd names. nil: there is none.
    package static func path(_ environment: [String: String]) -> String? {
        // systemd separates several folders with colons (systemd.exec(5)).
        environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first.map(String.init)
    }

    /// Takes the lock, and writes that nothing was reloaded yet.
    package init(_ folder: String) {
        self.folder = folder
        let file = open(folder + "/" + Self.lockName, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        var whole = Self.wholeFile
        let isOurs = file >= 0 && fcntl(file, F_SETLK, &whole) == 0
        if file >= 0, !isOurs { close(file) }
        lock = isOurs ? file : -1
        write(ReloadWord())
    }

    deinit {
        if lock >= 0 { close(lock) }
    }

    /// A reload begins: the configuration is read after this.
    func begin() { change { $0.begun += 1 } }

    /// The reload is over.
    func end(faults: [String]) {
        change {
            $0.done = $0.begun
            $0.faults = faults
        }
    }

    private func change(_ change: (inout ReloadWord) -> Void) {
        let changed = word.withLock { word in
            change(&word)
            return word
        }
        write(changed)
    }

    /// Replaced with a rename, so that a reader never sees half a file.
    private func write(_ word: ReloadWord) {
        guard lock >= 0 else { return }
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

/// The state of a daemon's reloads: the file `reload.json` in its runtime directory.
struct ReloadWord: Sendable, Equatable {
    /// Reloads that were begun since the daemon's start, and those that are over.
    var begun = 0
    var done = 0
    /// What was wrong with the last reload. Empty: its configuration is in force.
    var faults: [String] = []

    /// The first reload that is certain to read files as they are now. One that is running may have read them before.
    var next: Int { begun + 1 }

    init() {}

    /// One JSON object.
    var json: String {
        JSONWriter.text { json in
            json.put("begun", begun)
            json.put("done", done)
            json.list("faults", faults) { $1.string($0) }
        }
    }

    /// nil: it is not such an object.
    init?(json text: String) {
        guard let json = try? JSONValue(parsing: text), let begun = json["begun"]?.integer,
            let done = json["done"]?.integer, case .array(let faults)? = json["faults"]
        else { return nil }
        self.begun = Int(begun)
        self.done = Int(done)
        self.faults = faults.compactMap { if case .string(let fault) = $0 { fault } else { nil } }
    }
}
