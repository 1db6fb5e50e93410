import Configuration
import Service
import Systemd

/// Facts about the configuration: whether it loads, and the files of its secrets.
struct ConfigurationFacts: Sendable {
    /// The result of loading all that `run` needs.
    let loading: Result<LoadedConfiguration, ConfigurationError>
    let secrets: [SecretFile]

    /// The configuration as far as it is valid for each part. So an error in one part does not hide the other.
    let database: Configuration?
    let apns: Configuration?

    private static let loads = Finding.Place(.configuration, "file")
    private static let files = Finding.Place(.configuration, "secrets")

    var findings: [Finding] { said + secrets.map(Self.finding) }

    private var said: [Finding] {
        switch loading {
        case .success(let loaded):
            let place = loaded.path ?? "no file: environment and defaults"
            return [Self.loads.ok("\(place); it loads")] + loaded.warnings.map(Self.finding)
        case .failure(let error): return error.problems.map(Self.finding)
        }
    }

    private static func finding(_ problem: ConfigurationProblem) -> Finding {
        switch problem.severity {
        case .warning: return loads.warning(problem.found, remedy: problem.remedy)
        case .permission: return loads.error(problem.found, remedy: problem.remedy, .permission)
        case .error: return loads.error(problem.found, remedy: problem.remedy, .configuration)
        }
    }

    private static func finding(_ file: SecretFile) -> Finding {
        guard file.mode != nil else { return files.unchecked("this user can't look at \(file.path)") }
        if file.isOpen {
            return files.error(
                "\(file.path) is readable by every user of this machine (mode \(file.modeText))",
                remedy: "chmod 600 \(file.path); then replace the secret, since others may have read it",
                .permission
            )
        }
        if file.isReplaceable {
            return files.warning(
                "others can replace \(file.path) (mode \(file.modeText)"
                    + (file.isForeign ? ", and it or its folder belongs to another user)" : ")"),
                remedy: file.isForeign
                    ? "chown root \(file.path) and its folder" : "chmod go-w \(file.path) and its folder"
            )
        }
        return files.ok("\(file.path): mode \(file.modeText)")
    }
}

extension ConfigurationFacts {
    /// The folder from which the unit passes secrets to the service.
    static let standardFolder = "/etc/nudged/credentials"

    /// Loads the configuration and inspects the files of its secrets.
    ///
    /// - Parameters:
    ///   - path: from `--config`.
    ///   - folder: the folder of the unit's credentials.
    init(path: String?, environment: [String: String], folder: String = standardFolder) {
        func load(_ needs: ConfigurationNeeds) -> Result<LoadedConfiguration, ConfigurationError> {
            do throws(ConfigurationError) {
                return .success(
                    try ConfigurationLoader.load(path: path, environment: environment, needs: needs, checks: .system)
                )
            } catch {
                return .failure(error)
            }
        }
        loading = load(.all)
        if case .success(let loaded) = loading {
            (database, apns) = (loaded.configuration, loaded.configuration)
        } else {
            database = (try? load(.database).get())?.configuration
            apns = (try? load(.apns).get())?.configuration
        }
        var paths = SecretFile.inFolder(folder).map(\.path)
        if case .success(let loaded) = loading { paths += loaded.rows.compactMap(Self.secretPath) }
        var seen: Set<String> = []
        secrets = paths.filter { seen.insert($0).inserted }.map { SecretFile(lookingAt: $0) }
    }

    /// The file that a secret came from. Nil if the row is no secret, or comes from the configuration file: the loader
    /// checks that file's mode.
    private static func secretPath(_ row: ConfigurationRow) -> String? {
        let key = row.key.split(separator: ".").last.map(String.init) ?? row.key
        // The path of a key file is shown, because it is no secret. The file is one.
        if key == "privateKeyFile" { return row.value }
        guard row.isSecret else { return nil }
        if case .credential(let path) = row.source { return path }
        return nil
    }
}
