import JSON

/// The reference of all keys, as in docs/CONFIGURATION.md and `nudged.yaml(5)`. It is made from the list that the
/// loader uses.
package enum ConfigurationReference {
    /// The text of docs/CONFIGURATION.md without its last newline.
    package static var page: String {
        let tables = ConfigurationKey.sections.map { section in
            "## \(section.name)\n\n\(section.summary)\n\n" + table(section.keys)
                + (section.name == "apns" ? apps : "")
        }
        return introduction + tables.joined(separator: "\n") + failing
    }

    /// The text for the column of defaults: the default, `required` or `not set`.
    private static func standard(_ key: ConfigurationKey) -> String {
        key.standard.map { "`\($0)`" } ?? (key.need.isEmpty ? "not set" : "required")
    }

    /// `{"file", "sections": [{"name", "summary", "keys": [{"name", "value", "default", "required", "secret",
    /// "variable", "summary"}]}]}`. For tools and the manual page.
    package static var json: String {
        JSONWriter.text { json in
            json.put("file", ConfigurationLoader.defaultPath)
            json.list("sections", ConfigurationKey.sections) { section, json in
                json.object { json in
                    json.put("name", section.name)
                    json.put("summary", section.summary)
                    json.list("keys", section.keys) { key, json in json.object { key.write(to: &$0) } }
                }
            }
        }
    }

    private static func table(_ keys: [ConfigurationKey]) -> String {
        let rows = keys.map { key in
            let purpose = key.summary + (key.isSecret ? " Secret." : "")
            let cells = ["`\(key.name)`", key.values.expectation, standard(key), "`\(key.environmentName)`", purpose]
            return "| \(cells.joined(separator: " | ")) |\n"
        }
        return "| key | value | default | variable | what for |\n| --- | --- | --- | --- | --- |\n" + rows.joined()
    }

    private static let introduction = """
        # Configuration

        This page lists all keys of the configuration, for operators. `nudged config --reference` prints it, and tests \
        compare it with the code.

        The file is `\(ConfigurationLoader.defaultPath)`, or the one that `--config` names. It is YAML: `apns.teamId` \
        is the key `teamId` below `apns:`. The file may be missing if the environment gives all values.

        The file and all folders above it must belong to root or to the user who runs nudged. nudged refuses a file if \
        its group or others can write to it or to one of these folders. A folder with the sticky bit is allowed. If the \
        path is a link, nudged checks the file that it leads to. The same holds for key files and `apns.caFile`.

        A value comes from the first of these that has it:

        1. the environment variable in the table; an empty one counts as not set
        2. for a secret, the file with the key's name in systemd's credentials directory \
        (`LoadCredential=database.url:/etc/nudged/credentials/database.url`)
        3. the file
        4. the default

        `nudged config` shows the values in force, and where each one comes from; `nudged config --json` is for \
        programs. A secret is `(hidden)`. Of the database's URL it shows user, host, port, database and sslmode. \
        `nudged check-config` finds every fault without a network. `systemctl reload nudged` reads the file again. \
        A changed credential or variable counts after a restart.

        Durations are `500ms`, `1s`, `5m`, `2h`, or a number of seconds. `none` (or null) turns a rule off, if its \
        value may be none. Write a time in quotes: `"10:00"`. Anchors and tags of YAML are not allowed. A key that \
        occurs twice is a fault.


        """

    private static let apps = """

        Further apps, or builds of the same app from Xcode, are a list `\(ConfigurationKey.apps)` of up to \
        \(ConfigurationKey.mostApps) entries. An entry may have these keys, and inherits the others from `apns`: \
        \(ConfigurationKey.ofApp.map { "`\($0.name.dropFirst("apns.".count))`" }.joined(separator: ", ")). \
        No two entries may have the same `bundleId` and `environment`. If an entry has its own `keyId`, its key comes \
        from the credential `apns.privateKey.KEYID`, from \
        \(ConfigurationKey.signingKeys.map { "`\($0.environmentName(forKeyID: "KEYID"))`" }.joined(separator: " or ")), \
        or from the entry.

        """

    private static let failing = """

        ## When something is wrong

        Each fault is one line: place, key, what is wrong, and the fix. The place is file, line and column, or the \
        variable's name. A missing key has no place. For an unknown key the fix is the nearest known key.

            /etc/nudged/nudged.yaml:2:3: apns.teamID: unknown key: did you mean apns.teamId?

        The exit status is 78 (EX_CONFIG). It is 77 (EX_NOPERM) if only rights are wrong, for example if everyone can \
        read a key, or if others can write the file.
        """
}

extension ConfigurationKey {
    fileprivate func write(to json: inout JSONWriter) {
        json.put("name", name)
        json.put("value", values.expectation)
        json.put("default", standard)
        json.put("required", !need.isEmpty)
        json.put("secret", isSecret)
        json.put("variable", environmentName)
        json.put("summary", summary)
    }
}
