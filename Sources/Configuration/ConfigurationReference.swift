import JSON

/// The reference of all keys, as in docs/CONFIGURATION.md and `nudged.yaml(5)`. It is made from the loader's list.
package enum ConfigurationReference {
    package static var page: String {
        let lists = ConfigurationKey.sections.map { section in
            "## \(section.name)\n\n\(section.summary)\n\n" + list(ConfigurationKey.listed(in: section.name))
                + (section.name == "apns" ? apps : "")
        }
        return String((introduction + lists.joined(separator: "\n")).dropLast())
    }

    package static var json: String {
        let sections = ConfigurationKey.sections.map { section -> Fields in
            let keys = ConfigurationKey.listed(in: section.name).map { key -> Fields in
                [
                    "name": key.name, "value": key.values.expectation, "default": key.standard,
                    "required": !key.need.isEmpty, "secret": key.isSecret, "variable": key.environmentName,
                    "summary": key.summary,
                ]
            }
            return ["name": section.name, "summary": section.summary, "keys": keys]
        }
        return Fields.text(["file": ConfigurationLoader.defaultPath, "sections": sections])
    }

    private static func list(_ keys: [ConfigurationKey]) -> String {
        keys.map { key in
            let standard = key.standard.map { " (`\($0)`)" } ?? (key.need.isEmpty ? "" : " (required)")
            let purpose = key.summary + (key.isSecret ? " Secret." : "")
            return "- `\(key.name)`\(standard): \(key.values.expectation). \(purpose)\n"
        }.joined()
    }

    private static let introduction = """
        # Configuration

        This page lists all keys of the configuration, for operators. `nudged config --reference` prints it.

        The file is `\(ConfigurationLoader.defaultPath)`, or the one that `--config` names. It is YAML: `apns.teamId` \
        is the key `teamId` below `apns:`. A value comes from the first of these that has it:

        1. the environment variable, such as `\(ConfigurationKey.all[0].environmentName)` for \
        `\(ConfigurationKey.all[0].name)`; an empty one counts as not set
        2. for a secret, the file with the key's name in systemd's credentials directory \
        (`LoadCredential=database.url:/etc/nudged/credentials/database.url`)
        3. the file
        4. the default

        `nudged check-config` finds every fault. `nudged config` shows the values in force. \
        `systemctl reload nudged` reads the file again. A changed credential or variable counts after a restart.

        - Durations are `500ms`, `1s`, `5m`, `2h`, or a number of seconds. Write a time in quotes: `"10:00"`.
        - `none` (or null) turns a rule off, if its value may be none.
        - The file, key files and all folders above must belong to root or to nudged's user, and only they may write \
        there.
        - Internal keys, such as `apns.endpoint` and `apns.caFile`, are for tests and mirrors: `internals` in \
        Sources/Configuration/ConfigurationKey+All.swift.


        """

    private static let apps = """

        Further apps are a list `\(ConfigurationKey.apps)` of up to \(ConfigurationKey.mostApps) entries \
        ([an example](OPERATIONS.md#several-apps)). An entry may have the keys above; it inherits the others. \
        No two entries may have the same `bundleId` and `environment`. The variables of another key are \
        \(ConfigurationKey.signingKeys.map { "`\($0.environmentName(forKeyID: "KEYID"))`" }.joined(separator: " and ")).

        """
}
