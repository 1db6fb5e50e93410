/// The reference of all keys, as in docs/CONFIGURATION.md and `nudged.yaml(5)`. It is made from the list that the
/// loader uses.
package enum ConfigurationReference {
    /// Each section's purpose, in the order of the keys.
    static let sections: [(name: String, summary: String)] = [
        ("apns", "Apple's push service: who signs, and for which app."),
        ("database", "The app's PostgreSQL, in which nudged keeps its own schema."),
        ("schedule", "How often sweeps begin, and how many users a daemon claims at once."),
        (
            "checkIn",
            "The text of a check-in if no template fits. In a new database no template is active (docs/SQL.md)."
        ),
        ("messages", "Messages of one user that waited for the end of quiet hours."),
        (
            "decision",
            "A service of yours that nudged asks before each nudge (docs/DECISION.md). Without a URL it asks none."
        ),
        (
            "policy",
            "The rules if a user's preferences say nothing else (docs/POLICY.md). `nudged replan` applies them at once."
        ),
        ("metrics", "Metrics for Prometheus (docs/METRICS.md). Without an address or a file there are none."),
        (
            "heartbeat",
            "A dead man's switch (docs/METRICS.md): nudged calls an address after good sweeps."
        ),
        ("log", "What nudged writes to the journal."),
    ]

    /// The text of docs/CONFIGURATION.md without its last newline.
    package static var page: String {
        let tables = sections.map { section in
            "## \(section.name)\n\n\(section.summary)\n\n" + table(keys(of: section.name))
                + (section.name == "apns" ? apps : "")
        }
        return introduction + tables.joined(separator: "\n") + failing
    }

    static func keys(of section: String) -> [ConfigurationKey] {
        ConfigurationKey.all.filter { $0.name.hasPrefix(section + ".") }
    }

    /// The text for the column of defaults: the default, `required` or `not set`.
    static func standard(_ key: ConfigurationKey, quoted: (String) -> String) -> String {
        if let standard = key.standard { return quoted(standard) }
        return key.need.isEmpty ? "not set" : "required"
    }

    private static func table(_ keys: [ConfigurationKey]) -> String {
        let rows = keys.map { key in
            let standard = standard(key) { "`\($0)`" }
            let secret = key.isSecret ? " Secret." : ""
            return
                "| `\(key.name)` | \(key.expectation) | \(standard) | `\(key.environmentName)` | \(key.summary)\(secret) |\n"
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

        Further apps, or builds of the same app from Xcode, are a list `\(ConfigurationKey.appsName)` of up to \
        \(ConfigurationKey.mostApps) entries. An entry may have these keys, and inherits the others from `apns`: \
        \(ConfigurationKey.ofApp.map { "`\($0.name.dropFirst("apns.".count))`" }.joined(separator: ", ")). \
        No two entries may have the same `bundleId` and `environment`. If an entry has its own `keyId`, its key comes \
        from the credential `apns.privateKey.KEYID`, from \
        \(NamedKeys.keys.map { "`\($0.environmentName(forKeyID: "KEYID"))`" }.joined(separator: " or ")), \
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
