/// The output of `check-config` and `config --show`.
package enum ConfigurationReport {
    /// For a valid configuration: the warnings, then one line that says so.
    package static func check(_ loaded: LoadedConfiguration) -> String {
        let warnings = loaded.warnings.map { "warning: \($0)" }
        let place = loaded.path ?? "environment and defaults"
        let count = warnings.isEmpty ? "" : warnings.count == 1 ? ", 1 warning" : ", \(warnings.count) warnings"
        return (warnings + ["ok: \(place)\(count)"]).joined(separator: "\n")
    }

    /// For an invalid configuration: one line for each problem, then the number of errors.
    package static func check(_ error: ConfigurationError) -> String {
        let count = error.problems.count { $0.severity != .warning }
        return error.description + "\n\(count) \(count == 1 ? "error" : "errors"); the configuration can't be used"
    }

    /// The values in force in columns: key, value and source. An inherited value also names the key that it comes from.
    package static func show(_ loaded: LoadedConfiguration) -> String {
        let keyWidth = loaded.rows.map(\.key.count).max() ?? 0
        // A long value must not push the sources off the screen.
        let valueWidth = min(40, loaded.rows.map(\.value.count).max() ?? 0)
        return loaded.rows.map { row in
            // A default comes from no key.
            let origin = row.source == .standard ? "" : row.origin.map { " (\($0))" } ?? ""
            return "\(padded(row.key, keyWidth))  \(padded(row.value, valueWidth))  \(row.source.words)\(origin)"
        }.joined(separator: "\n")
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
