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
        let file = FileValues(reading: path ?? standardPath, mustExist: path != nil)
        let outside = OutsideValues(environment)
        var problems = file.problems
        let secrets = outside.secrets(&problems)
        var assembler = ConfigurationAssembler(
            values: EffectiveValues([file.values, secrets, outside.variables]),
            file: file,
            outside: outside,
            needs: needs,
            checks: checks
        )
        let configuration = assembler.assemble()
        let keyIDs = file.apps.compactMap { $0.values["apns.keyId"]?.text }
        problems += assembler.problems + outside.unknownVariables(keyIDs: keyIDs)
        let sorted = inReadingOrder(problems)
        guard sorted.allSatisfy({ $0.severity == .warning }) else { throw ConfigurationError(problems: sorted) }
        return LoadedConfiguration(
            configuration: configuration,
            path: file.exists ? file.path : nil,
            warnings: sorted,
            rows: assembler.rows
        )
    }

    /// Problems with a place in the file first, by line and column. The others follow in the order in which they were
    /// found.
    private static func inReadingOrder(_ problems: [ConfigurationProblem]) -> [ConfigurationProblem] {
        let placed = problems.enumerated().filter { $0.element.mark != nil }.sorted { left, right in
            guard let a = left.element.mark, let b = right.element.mark, a != b else {
                return left.offset < right.offset
            }
            return a < b
        }
        return placed.map(\.element) + problems.filter { $0.mark == nil }
    }
}
