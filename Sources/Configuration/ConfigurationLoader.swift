import JSON

/// Reads the configuration and checks it once. The environment wins, then the credentials, the file, the default.
package enum ConfigurationLoader {
    package static let defaultPath = "/etc/nudged/nudged.yaml"

    /// Throws all problems at once, warnings included.
    /// - Parameter path: from `--config`; the file must exist. Nil: `standardPath`, which may be missing.
    package static func load(
        path: String? = nil,
        environment: [String: String],
        needs: ConfigurationNeeds = .all,
        checks: ConfigurationChecks = ConfigurationChecks(),
        standardPath: String = ConfigurationLoader.defaultPath
    ) throws(ConfigurationError) -> LoadedConfiguration {
        let file = FileValues(reading: path ?? standardPath, mustExist: path != nil)
        let outside = OutsideValues(environment: environment)
        var problems = file.problems
        let values = EffectiveValues([file.values, outside.secrets(&problems), outside.variables])
        var maker = ConfigurationAssembler(values: values, file: file, outside: outside, needs: needs, checks: checks)
        let configuration = maker.assemble()
        let keyIDs = file.apps.compactMap { $0.values["apns.keyId"]?.text }
        problems += maker.problems + outside.unknownVariables(keyIDs: keyIDs)
        // Those with a place in the file first, by line and column. The others follow as they were found.
        let sorted = problems.sorted { left, right in
            guard let mark = left.mark else { return false }
            return right.mark.map { (mark.line, mark.column) < ($0.line, $0.column) } ?? true
        }
        guard sorted.allSatisfy({ $0.severity == .warning }) else { throw ConfigurationError(problems: sorted) }
        let (place, rows) = (file.exists ? file.path : nil, maker.rows)
        return LoadedConfiguration(configuration: configuration, path: place, warnings: sorted, rows: rows)
    }
}

package struct LoadedConfiguration: Sendable {
    package let configuration: Configuration
    package let path: String?
    package let warnings: [ConfigurationProblem]
    package let rows: [ConfigurationRow]

    /// What `check-config` prints.
    package var verdict: String {
        let lines = warnings.map { "warning: \($0)" }
        let place = path ?? "environment and defaults"
        let count = lines.isEmpty ? "" : lines.count == 1 ? ", 1 warning" : ", \(lines.count) warnings"
        return (lines + ["ok: \(place)\(count)"]).joined(separator: "\n")
    }

    package var table: String {
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        let keyWidth = rows.map(\.key.count).max() ?? 0
        // A long value must not push the sources off the screen.
        let valueWidth = min(40, rows.map(\.shown.count).max() ?? 0)
        return rows.map { row in
            let origin = row.inheritedFrom.map { " (\($0))" } ?? ""
            return "\(padded(row.key, keyWidth))  \(padded(row.shown, valueWidth))  \(row.source.text)\(origin)"
        }.joined(separator: "\n")
    }

    package var json: String {
        let values = rows.map { row -> Fields in
            [
                "key": row.key, "value": row.value, "secret": row.isSecret, "source": row.source.text,
                "inherited_from": row.inheritedFrom,
            ]
        }
        return Fields.text(["file": path, "values": values])
    }
}

package struct ConfigurationRow: Sendable {
    package let key: String
    /// The value as it would be written; nil if there is none. `(hidden)` for a secret, or only its part that is
    /// not secret.
    package let value: String?
    package let isSecret: Bool
    package let source: ValueSource
    /// For a value that an entry of `apns.apps` inherits: the key that gives it. Else nil. A default comes from no key.
    let inheritedFrom: String?

    fileprivate var shown: String { value ?? "(not set)" }
}
