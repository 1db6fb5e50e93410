import Systemd
import YAML

/// Reads the configuration from the file, the credentials directory and the environment, and checks it once.
///
/// If several sources give a key, the environment wins, then the credentials, then the file, then the default.
package enum ConfigurationLoader {
    /// The file's path if `--config` gives no other.
    package static let defaultPath = "/etc/nudged/nudged.yaml"

    /// - Parameters:
    ///   - path: from `--config`; the file must exist. Nil: `standardPath`, which may be missing.
    ///   - environment: all variables, `CREDENTIALS_DIRECTORY` among them; see `ProcessEnvironment.current()`.
    ///   - needs: what the command works with.
    ///   - checks: the checks of other modules.
    ///   - standardPath: a path in place of `defaultPath`, for tests.
    /// - Throws: all problems at once, warnings included.
    package static func load(
        path: String? = nil,
        environment: [String: String],
        needs: ConfigurationNeeds = .all,
        checks: ConfigurationChecks = ConfigurationChecks(),
        standardPath: String = ConfigurationLoader.defaultPath
    ) throws(ConfigurationError) -> LoadedConfiguration {
        let source = ConfigurationFile.read(path ?? standardPath, mustExist: path != nil)
        let file = FileValues(path: source.path, root: source.root)
        let keyIDs = file.apps.compactMap { $0.values["apns.keyId"]?.text }
        let variables = EnvironmentValues(environment, keyIDs: keyIDs)
        let folder = Credentials(environment: environment)
        let credentials = CredentialValues(folder)
        let effective = EffectiveValues([file.values, credentials.values, variables.values])
        var assembler = ConfigurationAssembler(
            values: effective,
            apps: file.apps,
            namedKeys: NamedKeys(environment: environment, credentials: folder),
            needs: needs,
            checks: checks,
            path: source.path,
            reportsMissing: source.problem == nil,
            isFileOpen: source.isOpen
        )
        let configuration = assembler.assemble()
        let problems =
            [source.problem].compactMap { $0 } + file.problems + credentials.problems + assembler.values.problems
            + assembler.problems + variables.problems
        let sorted = inReadingOrder(problems)
        guard sorted.allSatisfy({ $0.severity == .warning }) else { throw ConfigurationError(problems: sorted) }
        return LoadedConfiguration(
            configuration: configuration,
            path: source.exists ? source.path : nil,
            warnings: sorted,
            rows: assembler.rows()
        )
    }

    /// Problems with a place in the file first, by line and column. The others follow in the order in which they were
    /// found.
    private static func inReadingOrder(_ problems: [ConfigurationProblem]) -> [ConfigurationProblem] {
        let placed = problems.enumerated().sorted { left, right in
            let (a, b) = (left.element.mark, right.element.mark)
            switch (a, b) {
            case (let a?, let b?): return a == b ? left.offset < right.offset : a < b
            case (_?, nil): return true
            case (nil, _?): return false
            case (nil, nil): return left.offset < right.offset
            }
        }
        return placed.map(\.element)
    }
}
