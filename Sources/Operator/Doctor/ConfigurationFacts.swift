import Configuration
import Service
import Systemd

/// What there is to say of the configuration: whether it loads, and where its secrets lie.
struct ConfigurationFacts: Sendable {
    /// As `run` loads it.
    let loading: Result<LoadedConfiguration, ConfigurationError>
    let secrets: [SecretFile]

    /// The configuration as far as it can be used: with one side of it wrong, the other is looked at all the same.
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
        let found = [problem.place, problem.key, problem.what].compactMap(\.self).joined(separator: ": ")
        switch problem.severity {
        case .warning: return loads.warning(found, mend: problem.mend)
        case .permission: return loads.error(found, mend: problem.mend, .permission)
        case .error: return loads.error(found, mend: problem.mend, .configuration)
        }
    }

    private static func finding(_ file: SecretFile) -> Finding {
        guard file.mode != nil else { return files.unchecked("\(file.path) can't be looked at by this user") }
        if file.isOpen {
            return files.error(
                "\(file.path) is readable by every user of this machine (mode \(file.modeWords))",
                mend: "chmod 600 \(file.path); and as others may have read it, replace the secret",
                .permission
            )
        }
        if file.isReplaceable {
            return files.warning(
                "\(file.path) (mode \(file.modeWords)) can be replaced by others than its owner",
                mend: "chmod go-w \(file.path), and the folder that it lies in"
            )
        }
        return files.ok("\(file.path): mode \(file.modeWords)")
    }
}

extension ConfigurationFacts {
    /// Where the unit hands secrets over from.
    static let standardFolder = "/etc/nudged/credentials"

    /// Reads the configuration, and looks at the files of its secrets.
    ///
    /// - Parameters:
    ///   - path: from `--config`.
    ///   - folder: where the unit's credentials lie.
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

    /// The file that a secret of the configuration came from; nil for what is none. (Of the configuration file itself the loader says whether it is
    /// too open for what is in it.)
    private static func secretPath(_ row: ConfigurationRow) -> String? {
        let key = row.key.split(separator: ".").last.map(String.init) ?? row.key
        // A key file's name is no secret; what it names is.
        if key == "privateKeyFile" { return row.value.contains("/") ? row.value : nil }
        guard row.value == Secret("").description else { return nil }
        if case .credential(let path) = row.source { return path }
        return nil
    }
}
