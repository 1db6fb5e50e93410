import Configuration
import Glibc
import Service
import Systemd

struct ConfigurationFacts: Sendable {
    let loading: Result<LoadedConfiguration, ConfigurationError>
    let secrets: [SecretFile]

    /// The configuration as far as it is valid for each part. So an error in one part does not hide the other.
    let database: Configuration?
    let apns: Configuration?

    var findings: [Finding] {
        loaded.map { $0.of(.configuration, "file") } + secrets.map { Self.finding($0).of(.configuration, "secrets") }
    }

    private var loaded: [Finding] {
        switch loading {
        case .success(let loaded):
            let place = loaded.path ?? "no file: environment and defaults"
            return [.ok("\(place); it loads")] + loaded.warnings.map(Self.finding)
        case .failure(let error): return error.problems.map(Self.finding)
        }
    }

    private static func finding(_ problem: ConfigurationProblem) -> Finding {
        if problem.severity == .warning { return .warning(problem.found).fix(problem.remedy) }
        return .error(problem.found, problem.severity == .permission ? .permission : .configuration).fix(problem.remedy)
    }

    private static func finding(_ file: SecretFile) -> Finding {
        let path = file.path
        guard file.mode != nil else { return .unchecked("this user can't look at \(path)") }
        if file.isOpen {
            return .error("\(path) is readable by every user of this machine (mode \(file.modeText))", .permission)
                .fix("chmod 600 \(path); then replace the secret, since others may have read it")
        }
        guard file.isReplaceable else { return .ok("\(path): mode \(file.modeText)") }
        let foreign = file.isForeign ? ", and it or its folder belongs to another user" : ""
        return .warning("others can replace \(path) (mode \(file.modeText)\(foreign))")
            .fix("\(file.isForeign ? "chown root" : "chmod go-w") \(path) and its folder")
    }

    init(path: String?, environment: [String: String], folder: String = "/etc/nudged/credentials") {
        func load(_ needs: ConfigurationNeeds) -> Result<LoadedConfiguration, ConfigurationError> {
            Result { () throws(ConfigurationError) in
                try ConfigurationLoader.load(path: path, environment: environment, needs: needs, checks: .system)
            }
        }
        loading = load(.all)
        let whole = try? loading.get()
        database = (whole ?? (try? load(.database).get()))?.configuration
        apns = (whole ?? (try? load(.apns).get()))?.configuration
        let paths = Folder.names(folder).map { "\(folder)/\($0)" } + (whole?.rows ?? []).compactMap(Self.secretPath)
        secrets = paths.distinct.map { SecretFile(lookingAt: $0) }
    }

    /// The file that a secret came from. Nil also for the configuration file, whose mode the loader checks.
    private static func secretPath(_ row: ConfigurationRow) -> String? {
        let key = row.key.split(separator: ".").last.map(String.init) ?? row.key
        // The path of a key file is shown, because it is no secret. The file is one.
        if key == "privateKeyFile" { return row.value }
        guard row.isSecret, case .credential(let path) = row.source else { return nil }
        return path
    }
}

/// Only its permissions are read, not its content.
struct SecretFile: Sendable, Equatable {
    let path: String
    let mode: mode_t?
    let folderMode: mode_t?
    /// Whether the file or its folder belongs to neither root nor the user who runs this process.
    var isForeign = false

    /// Whether its mode lets every user of the machine read it. The folder's mode may change, so it does not count.
    var isOpen: Bool { mode.map { $0 & 0o004 != 0 } ?? false }
    var isFolderOpen: Bool { folderMode.map { $0 & 0o001 != 0 } ?? false }

    /// Whether owner or mode of the file or its folder lets others replace the secret. Folders above are not checked.
    var isReplaceable: Bool {
        // In a folder with the sticky bit only owners can delete files.
        let isFolderOpen = folderMode.map { $0 & 0o022 != 0 && $0 & 0o1000 == 0 } ?? false
        return isForeign || isFolderOpen || mode.map { $0 & 0o022 != 0 } ?? false
    }

    var modeText: String { mode.map { SystemdError.octal($0 & 0o777) } ?? "?" }
}

extension SecretFile {
    init(lookingAt path: String) {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let (file, around) = (Folder.facts(path), Folder.facts(folder.isEmpty ? "/" : folder))
        self.path = path
        mode = file.map { $0.st_mode & 0o7777 }
        folderMode = around.map { $0.st_mode & 0o7777 }
        isForeign = [file, around].contains { $0.map { $0.st_uid != 0 && $0.st_uid != geteuid() } ?? false }
    }
}
