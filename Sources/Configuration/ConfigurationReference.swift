/// Every key of the configuration, as docs/CONFIGURATION.md and `nudged.yaml(5)` show it: what the loader takes, said from the same list.
package enum ConfigurationReference {
    /// What each section is about, in the order of the keys.
    static let sections: [(name: String, summary: String)] = [
        ("apns", "Apple's push service: who signs, and for which app."),
        ("database", "The app's PostgreSQL, in which nudged keeps its own schema."),
        ("schedule", "When sweeps begin, and how much of what is due one daemon takes at once."),
        ("record", "How long `nudged.delivery` remembers."),
        (
            "checkIn",
            "The words of a check-in for which no template fits: `nudged.template` comes first, and in a new database some templates are active (docs/SQL.md)."
        ),
        ("messages", "Messages of one user that waited for the end of quiet hours."),
        (
            "decision",
            "A service of yours that is asked before each nudge (docs/DECISION.md). Without a URL nobody is asked."
        ),
        (
            "policy",
            "The rules for users whose preferences say nothing else (docs/POLICY.md). `nudged replan` lets changed ones count at once."
        ),
        ("metrics", "Metrics for Prometheus (docs/METRICS.md). Without a place nothing is shown."),
        (
            "heartbeat",
            "A dead man's switch: an address that is called after each good sweep, for a service that tells somebody when the calls stay away (docs/METRICS.md)."
        ),
        ("log", "What goes to the journal."),
    ]

    /// docs/CONFIGURATION.md, but for its last newline.
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

    /// What stands where no value is given: the default, or that it must be given, or nothing.
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

        `nudged config --reference` prints this page, and tests hold it equal to the code. The file is `\(ConfigurationLoader.defaultPath)`, or what `--config` names: \
        YAML, in which `apns.teamId` is the key `teamId` below `apns:`. It may be missing where the environment says all.

        A value is taken from the first of these that gives one:

        1. the environment variable of the table; an empty one counts as unset
        2. for a secret, the file with the key's name in systemd's credentials directory (`LoadCredential=database.url:/etc/nudged/credentials/database.url`)
        3. the file
        4. the default

        `nudged config --show` prints what is in force and where each value came from; a secret is `(hidden)`. `nudged check-config` finds every fault without a network. \
        `systemctl reload nudged` reads the file anew; a changed credential or variable counts after a restart.

        Durations are `500ms`, `1s`, `5m`, `2h`, or a plain number of seconds. `none` (or null) turns off what can be turned off. A time stands in quotes, as `"10:00"`. \
        Anchors and tags of YAML are not taken, and a key that stands twice is a fault.


        """

    private static let apps = """

        Further apps, or the same app's builds from Xcode, are a list `\(ConfigurationKey.appsName)` of up to \(ConfigurationKey.mostApps) entries. An entry takes these keys, and inherits \
        what it doesn't say: \(ConfigurationKey.ofApp.map { "`\($0.name.dropFirst("apns.".count))`" }.joined(separator: ", ")). \
        No two may share `bundleId` and `environment`. The key of an entry with a `keyId` of its own comes from \
        the credential `apns.privateKey.KEYID`, from \(NamedKeys.keys.map { "`\($0.environmentName(forKeyID: "KEYID"))`" }.joined(separator: " or ")), or from the entry.

        """

    private static let failing = """

        ## When something is wrong

        Each fault is a line: place, key, what is wrong, the mend. The place is file, line and column, or the variable's name; for an unknown key the mend is the nearest known one.

            /etc/nudged/nudged.yaml:2:3: apns.teamID: unknown key: did you mean apns.teamId?

        The exit status is 78 (EX_CONFIG), or 77 (EX_NOPERM) where nothing but rights is wrong, as with a key that everyone may read.
        """
}
