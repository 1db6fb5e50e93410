import JSON

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
        let keyWidth = loaded.rows.map(\.key.count).max() ?? 0
        // A long value must not push the sources off the screen.
        let valueWidth = min(40, loaded.rows.map { shown($0).count }.max() ?? 0)
        return loaded.rows.map { row in
            // A default comes from no key.
            let origin = row.source == .standard ? "" : row.origin.map { " (\($0))" } ?? ""
            return "\(padded(row.key, keyWidth))  \(padded(shown(row), valueWidth))  \(row.source.text)\(origin)"
        }.joined(separator: "\n")
    }

    /// The values in force: `{"file", "values": [{"key", "value", "secret", "source", "inherited_from"}]}`. `value` is
    /// null for a key without a value, `file` if there is none.
    package static func json(_ loaded: LoadedConfiguration) -> String {
        var json = JSONWriter()
        json.beginObject()
        json.key("file")
        json.string(loaded.path)
        json.key("values")
        json.beginArray()
        for row in loaded.rows {
            json.beginObject()
            json.key("key")
            json.string(row.key)
            json.key("value")
            json.string(row.value)
            json.key("secret")
            json.bool(row.isSecret)
            json.key("source")
            json.string(row.source.text)
            json.key("inherited_from")
            json.string(row.source == .standard ? nil : row.origin)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.string
    }

    private static func shown(_ row: ConfigurationRow) -> String { row.value ?? "(not set)" }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
