import JSON

/// A valid configuration with the sources of its values.
package struct LoadedConfiguration: Sendable {
    package let configuration: Configuration
    /// The file that was read. Nil if there was none.
    package let path: String?
    /// Probable mistakes.
    package let warnings: [ConfigurationProblem]
    /// The lines of `config`.
    package let rows: [ConfigurationRow]
}

/// One line of `config`.
package struct ConfigurationRow: Sendable {
    /// The dotted key.
    package let key: String
    /// The value as it would be written; nil if there is none. `(hidden)` for a secret; for the database's URL what of
    /// it is no secret.
    package let value: String?
    package let isSecret: Bool
    package let source: ValueSource
    /// For a value that an entry of `apns.apps` inherits: the key that gives it. Else nil.
    let origin: String?

    fileprivate var shown: String { value ?? "(not set)" }
    /// A default comes from no key.
    fileprivate var inheritedFrom: String? { source == .standard ? nil : origin }
}

/// The output of `check-config` and `config`.
package enum ConfigurationReport {
    /// For a valid configuration: the warnings, then one line that says so.
    package static func check(_ loaded: LoadedConfiguration) -> String {
        let warnings = loaded.warnings.map { "warning: \($0)" }
        let place = loaded.path ?? "environment and defaults"
        let count = warnings.isEmpty ? "" : warnings.count == 1 ? ", 1 warning" : ", \(warnings.count) warnings"
        return (warnings + ["ok: \(place)\(count)"]).joined(separator: "\n")
    }

    /// The values in force in columns: key, value and source. An inherited value also names the key that it comes from.
    package static func show(_ loaded: LoadedConfiguration) -> String {
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        let keyWidth = loaded.rows.map(\.key.count).max() ?? 0
        // A long value must not push the sources off the screen.
        let valueWidth = min(40, loaded.rows.map(\.shown.count).max() ?? 0)
        return loaded.rows.map { row in
            let origin = row.inheritedFrom.map { " (\($0))" } ?? ""
            return "\(padded(row.key, keyWidth))  \(padded(row.shown, valueWidth))  \(row.source.text)\(origin)"
        }.joined(separator: "\n")
    }

    /// The values in force: `{"file", "values": [{"key", "value", "secret", "source", "inherited_from"}]}`. `value` is
    /// null for a key without a value, `file` if there is none.
    package static func json(_ loaded: LoadedConfiguration) -> String {
        JSONWriter.text { json in
            json.put("file", loaded.path)
            json.list("values", loaded.rows) { row, json in
                json.object { json in
                    json.put("key", row.key)
                    json.put("value", row.value)
                    json.put("secret", row.isSecret)
                    json.put("source", row.source.text)
                    json.put("inherited_from", row.inheritedFrom)
                }
            }
        }
    }
}
