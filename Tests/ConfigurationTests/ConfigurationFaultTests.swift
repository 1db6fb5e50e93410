import Fixtures
import Glibc
import JSON
import Seeded
import Systemd
import TestSupport
import Testing

@testable import Configuration

@Suite struct ConfigurationFaultTests {
    private let fixture = ConfigurationFixture()

    private struct NoKey: Error, CustomStringConvertible {
        let description = "this key is not on the curve P-256"
    }

    /// The file's text in one line, with ⏎ for its line breaks. Below it, its fault.
    private static let cases = pairs(
        #"""
        apns:⏎  teamID: ABCDE12345
            2:3: apns.teamID: unknown key: did you mean apns.teamId?
        apns:⏎  team_id: ABCDE12345
            2:3: apns.team_id: unknown key: did you mean apns.teamId?
        apns:⏎  bundelId: a.b
            2:3: apns.bundelId: unknown key: did you mean apns.bundleId?
        apns:⏎  interval: 1s
            2:3: apns.interval: unknown key: did you mean schedule.interval?
        checkInTime: 10:00
            1:1: checkInTime: unknown key: did you mean policy.checkInTime?
        apn:⏎  teamId: x
            1:1: apn: unknown key: did you mean apns?
        quietHours:⏎  start: 10:00
            1:1: quietHours: unknown key: did you mean policy.quietHours?
        apns:⏎  privateKey: "-----BEGIN PRIVATE KEY-----"
            2:3: apns.privateKey: unknown key: did you mean apns.privateKeyFile?
        metrics:⏎  listne: 1
            2:3: metrics.listne: unknown key: did you mean metrics.listen?
        xylophone: 1
            1:1: xylophone: unknown key: remove it, or see nudged config --reference for the key's name
        apns: text
            1:7: apns: this is a single value: write its keys below it, indented
        apns: [1]
            1:7: apns: this is a list: write its keys below it, indented
        - a
            1:1: this is a list, not sections with keys: write sections such as apns: and keys below them
        schedule:⏎  batch: [1]
            2:10: schedule.batch: this is a list: write a whole number from 1 to 10000
        schedule:⏎  batch: {a: 1}
            2:10: schedule.batch: this is a section: write a whole number from 1 to 10000
        schedule:⏎  batch: many
            2:10: schedule.batch: "many" is wrong: write a whole number from 1 to 10000
        schedule:⏎  batch: 1.5
            2:10: schedule.batch: "1.5" is wrong: write a whole number from 1 to 10000
        schedule:⏎  batch: 0
            2:10: schedule.batch: "0" is out of range: write a whole number from 1 to 10000
        record:⏎  keepDays: 30
            1:1: record: unknown key: remove it, or see nudged config --reference for the key's name
        schedule:⏎  batch: 10001
            2:10: schedule.batch: "10001" is out of range: write a whole number from 1 to 10000
        schedule:⏎  interval: 1 day
            2:13: schedule.interval: "1 day" is wrong: write a duration such as 500ms, 1s or 5m, from 100ms to 1h
        schedule:⏎  interval: 99ms
            2:13: schedule.interval: "99ms" is out of range: write a duration such as 500ms, 1s or 5m, from 100ms to 1h
        database:⏎  allowInsecure: yes
            2:18: database.allowInsecure: "yes" is wrong: write true or false
        policy:⏎  checkInTime: 9:30
            2:16: policy.checkInTime: "9:30" is wrong: write a time HH:MM from 00:00 to 23:59, in quotes
        policy:⏎  checkInTime: 24:00
            2:16: policy.checkInTime: "24:00" is wrong: write a time HH:MM from 00:00 to 23:59, in quotes
        policy:⏎  spreadMinutes: 1441
            2:18: policy.spreadMinutes: "1441" is out of range: write a whole number from 0 to 1440
        policy:⏎  maxPerHour: 0
            2:15: policy.maxPerHour: "0" is out of range: write a whole number from 1, or none
        policy:⏎  defaultTimezone: EST5EDT
            2:20: policy.defaultTimezone: "EST5EDT" is wrong: write a zone name such as Europe/Berlin, UTC, or none
        policy:⏎  quietHours: 9 - 6:30
            2:15: policy.quietHours: "9 - 6:30" is wrong: write two times HH:MM-HH:MM such as 22:00-08:00, or none
        policy:⏎  quietHours: 10pm-8am
            2:15: policy.quietHours: "10pm-8am" is wrong: write two times HH:MM-HH:MM such as 22:00-08:00, or none
        policy:⏎  quietHours: 22:00-08:00-09:00
            2:15: policy.quietHours: "22:00-08:00-09:00" is wrong: write two times HH:MM-HH:MM such as 22:00-08:00, or none
        policy:⏎  quietHours:⏎    start: 21:00
            3:5: policy.quietHours: this is a section: write two times HH:MM-HH:MM such as 22:00-08:00, or none
        messages:⏎  digestTitle: ""
            2:16: messages.digestTitle: it is empty: write one line of 1 to 1000 characters
        messages:⏎  digestTitle: "a\nb"
            2:16: messages.digestTitle: "a�b" is wrong: write one line of 1 to 1000 characters
        apns:⏎  endpoint: http://x
            2:13: apns.endpoint: "http://x" is wrong: write https://host or https://host:port
        log:⏎  level: loud
            2:10: log.level: "loud" is wrong: write trace or debug or info or notice or warning or error or critical
        schedule:⏎  lease: 20s
            2:10: schedule.lease: 20s is not more than twice apns.responseTimeout (10s): make it longer than 20s
        a: b: c
            1:5: mapping values are not allowed in this context: correct the YAML at this place
        log: {}⏎log: {}
            2:1: this key is already in line 1: correct the YAML at this place
        log: &a {}
            1:6: anchors (&) and tags (!) are not supported here: correct the YAML at this place
        apns:⏎  caFile: /nonexistent
            2:11: apns.caFile: /nonexistent does not exist: put the file there, or give the right path
        """#
    )

    static func pairs(_ text: String) -> [(yaml: String, fault: String)] {
        let lines = text.split(separator: "\n")
        return stride(from: 0, to: lines.count - 1, by: 2).map { place in
            (String(lines[place].replacing("⏎", with: "\n")) + "\n", String(lines[place + 1].drop { $0 == " " }))
        }
    }

    @Test func fault_whenTheFileSays() {
        #expect(Self.cases.count == 41)
        for (yaml, fault) in Self.cases { #expect(fixture.faults(yaml) == ["nudged.yaml:" + fault]) }
    }

    @Test func faults_areAllReportedInTheOrderOfTheFile() {
        var environment = ConfigurationFixture.environment
        environment["POLICY_MAX_PER_DAY"] = "-1"
        let faults = fixture.faults(
            "schedule:\n  batch: 0\n  intervall: 1s\nlog:\n  level: loud\napns:\n  keyId: short\n",
            environment: environment,
            without: ["APNS_KEY_ID", "APNS_TEAM_ID"]
        )
        #expect(
            faults == [
                "nudged.yaml:2:10: schedule.batch: \"0\" is out of range: write a whole number from 1 to 10000",
                "nudged.yaml:3:3: schedule.intervall: unknown key: did you mean schedule.interval?",
                "nudged.yaml:5:10: log.level: \"loud\" is wrong: write trace or debug or info or notice or warning or error or critical",
                "nudged.yaml:7:10: apns.keyId: \"short\" is wrong: write 10 capital letters and digits",
                "environment POLICY_MAX_PER_DAY: policy.maxPerDay: \"-1\" is out of range: write a whole number from 1, or none",
                "apns.teamId: it is missing: write it in nudged.yaml or set APNS_TEAM_ID: 10 capital letters and digits",
            ]
        )
    }

    /// Neither a file nor a value can write anything into the terminal or fill the journal.
    @Test func fault_whenTextsAreHostile_isOneShortLine() {
        let unknown = "unknown key: remove it, or see nudged config --reference for the key's name"
        #expect(fixture.faults("\"a\\e[2J\\u202Eb\": 1\n") == ["nudged.yaml:1:1: a\u{FFFD}[2J\u{FFFD}b: \(unknown)"])
        let long = String(repeating: "x", count: 300)
        #expect(fixture.faults("\(long): 1\n") == ["nudged.yaml:1:1: \(long.prefix(100))…: \(unknown)"])
        // One character of 301 scalars.
        let marks = String(repeating: "\u{301}", count: 300)
        #expect(
            fixture.faults("schedule:\n  batch: a\(marks)\n") == [
                "nudged.yaml:2:10: schedule.batch: \"a\(String(repeating: "\u{301}", count: 39))…\" is wrong: write a whole number from 1 to 10000"
            ]
        )
    }

    @Test func key_whenGivenTwiceOrNotAtAll() {
        var environment = ConfigurationFixture.environment
        environment["APNS_PRIVATE_KEY_FILE"] = "/key.p8"
        #expect(
            fixture.faults(environment: environment) == [
                "environment APNS_PRIVATE_KEY_FILE: apns.privateKeyFile: apns.privateKey is given too: keep one of them"
            ]
        )
        let neither = fixture.faults("log: {}", without: ["APNS_PRIVATE_KEY"])
        #expect(neither.count == 1)
        #expect(neither.first?.hasPrefix("apns.privateKey: it is missing, and so is apns.privateKeyFile: ") == true)
    }

    @Test func keyFile_whenItCantBeUsed() throws {
        let open = fixture.write("-----BEGIN", to: "open.p8", mode: 0o604)
        func faults(_ file: String) -> [String] {
            fixture.faults("apns:\n  privateKeyFile: \(file)\n", without: ["APNS_PRIVATE_KEY"])
        }
        #expect(
            faults(open) == [
                "nudged.yaml:2:19: apns.privateKeyFile: open.p8 is readable by every user of this machine: chmod 600 open.p8"
            ]
        )
        // Not a word of a key that was written in the wrong place is repeated.
        for text in [
            "|\n    -----BEGIN PRIVATE KEY-----\n    c2VjcmV0\n", "\"MIG\(String(repeating: "c2VjcmV0", count: 20))\"",
        ] {
            let found = faults(text)
            #expect(found.count == 1 && found[0].contains("this is a key's text"), "\(found)")
            #expect(!found.joined().contains("c2VjcmV0"))
        }
        #expect(
            faults("/nonexistent/k.p8") == [
                "nudged.yaml:2:19: apns.privateKeyFile: /nonexistent/k.p8 does not exist: put the file there, or give the right path"
            ]
        )
        #expect(faults(fixture.folder).first?.hasSuffix(" is not a regular file: give the path of a file") == true)
        do throws(ConfigurationError) {
            _ = try fixture.load("apns:\n  privateKeyFile: \(open)\n", without: ["APNS_PRIVATE_KEY"])
            Issue.record("taken")
        } catch {
            #expect(error.exitStatus == .permission)
        }
        do throws(ConfigurationError) {
            _ = try fixture.load("log: 1\napns:\n  privateKeyFile: \(open)\n", without: ["APNS_PRIVATE_KEY"])
            Issue.record("taken")
        } catch {
            #expect(error.exitStatus == .configuration)
        }
    }

    @Test func key_whenOpenSSLRefusesIt() {
        let checks = ConfigurationChecks { $0.key = { _ in throw NoKey() } }
        #expect(
            fixture.faults(checks: checks) == [
                "environment APNS_PRIVATE_KEY: apns.privateKey: this key is not on the curve P-256: "
                    + "use the .p8 file of an APNs key from Apple's developer site"
            ]
        )
    }

    @Test func database_whenPostgresRefusesIt() {
        struct Insecure: Error, CustomStringConvertible { let description = "db.example is not local" }
        let checks = ConfigurationChecks {
            $0.database = { _, allowInsecure in
                if !allowInsecure { throw Insecure() }
                return nil
            }
        }
        #expect(
            fixture.faults(checks: checks).first?.hasPrefix(
                "environment DATABASE_URL: database.url: db.example is not local: "
            ) == true
        )
        #expect(fixture.faults("database: {allowInsecure: true}", checks: checks).isEmpty)
    }

    @Test func zone_whenTheSystemDoesNotKnowIt() {
        let checks = ConfigurationChecks { $0.zone = { $0 != "Mars/Base" } }
        #expect(
            fixture.faults("policy:\n  defaultTimezone: Mars/Base\n", checks: checks) == [
                "nudged.yaml:2:20: policy.defaultTimezone: this system knows no zone \"Mars/Base\": write a name from /usr/share/zoneinfo, such as Europe/Berlin"
            ]
        )
    }

    @Test func file_whenItIsMissing() throws {
        do throws(ConfigurationError) {
            _ = try ConfigurationLoader.load(path: "/nonexistent/n.yaml", environment: ConfigurationFixture.environment)
            Issue.record("taken")
        } catch {
            #expect(error.exitStatus == .configuration)
            #expect(
                error.description
                    == "error: /nonexistent/n.yaml does not exist: put the file there, or give the right path"
            )
        }
        // What it may have said is not called missing as well.
        do throws(ConfigurationError) {
            _ = try ConfigurationLoader.load(path: "/nonexistent/n.yaml", environment: [:])
            Issue.record("taken")
        } catch {
            #expect(error.problems.count == 1)
        }
        #expect(throws: ConfigurationError.self) {
            try ConfigurationLoader.load(path: fixture.folder, environment: ConfigurationFixture.environment)
        }
        #expect(try fixture.load("").configuration.schedule.batch == 1000)
    }

    @Test func file_whenItHoldsASecretAndIsOpen() throws {
        // A URL is a secret where it holds a password.
        for (url, warnings) in [
            ("postgres:///a", 0), ("postgres://me@localhost:5432/a", 0), ("postgres://me:pw@localhost/a", 1),
            ("postgres:///a?password=pw", 1),
        ] {
            let text = "database: {url: \"\(url)\"}"
            #expect(try fixture.load(text, without: ["DATABASE_URL"], mode: 0o644).warnings.count == warnings, "\(url)")
        }
        #expect(try fixture.load("log: {}", mode: 0o644).warnings.isEmpty)
    }

    @Test func variable_whenItIsUnknown() throws {
        var environment = ConfigurationFixture.environment
        environment["APNS_TEAMID"] = "x"
        environment["POLICY_CHECKIN_TIME"] = "x"
        environment["APNS_SOMETHING_ELSE_ALTOGETHER"] = "x"
        environment["UNRELATED"] = "x"
        let loaded = try fixture.load(environment: environment)
        #expect(
            loaded.warnings.map(\.description) == [
                "environment APNS_SOMETHING_ELSE_ALTOGETHER: unknown variable: unset it, or see nudged config --reference",
                "environment APNS_TEAMID: unknown variable: did you mean APNS_TEAM_ID?",
                "environment POLICY_CHECKIN_TIME: unknown variable: did you mean POLICY_CHECK_IN_TIME?",
            ]
        )
        #expect(ConfigurationReport.check(loaded).hasSuffix("\nok: environment and defaults, 3 warnings"))
    }

    @Test func report_whenBadAndGood() throws {
        do throws(ConfigurationError) {
            _ = try fixture.load("log:\n  level: loud\n  color: red\n")
            Issue.record("taken")
        } catch {
            let lines = fixture.short("\(error)").split(separator: "\n")
            #expect(lines.count == 2)
            #expect(
                lines[1] == "error: nudged.yaml:3:3: log.color: unknown key: did you mean log.level?"
                    || lines[1].contains("log.color: unknown key")
            )
        }
        let loaded = try fixture.load("log:\n  level: debug\n")
        #expect(fixture.short(ConfigurationReport.check(loaded)) == "ok: nudged.yaml")
        let shown = fixture.short(ConfigurationReport.show(loaded)).split(separator: "\n").map {
            $0.split(separator: " ", omittingEmptySubsequences: true)
        }
        #expect(shown.contains(["log.level", "debug", "nudged.yaml:2:10"]))
        #expect(shown.contains(["apns.privateKey", "(hidden)", "environment", "APNS_PRIVATE_KEY"]))
        #expect(shown.contains(["schedule.interval", "1s", "default"]))
        #expect(shown.contains(["policy.maxPerHour", "none", "default"]))
        #expect(shown.count == ConfigurationKey.listed.count + 1)
    }

    @Test func json_hasEachValueWithItsSource() throws {
        let checks = ConfigurationChecks { $0.database = { _, _ in "me@db.example:5432/app sslmode=verify-full" } }
        let loaded = try fixture.load("schedule: {batch: 5}\n", checks: checks)
        let json = fixture.short(ConfigurationReport.json(loaded))
        #expect(throws: Never.self) { try JSONValue(parsing: json) }
        #expect(
            json.hasPrefix(#"{"file":"nudged.yaml","values":[{"key":"apns.teamId","value":"ABCDE12345","#),
            "\(json)"
        )
        for row in [
            #"{"key":"schedule.batch","value":"5","secret":false,"source":"nudged.yaml:1:19","inherited_from":null}"#,
            #"{"key":"apns.privateKeyFile","value":null,"secret":false,"source":"default","inherited_from":null}"#,
            #"{"key":"apns.privateKey","value":"(hidden)","secret":true,"source":"environment APNS_PRIVATE_KEY","#,
            #"{"key":"database.url","value":"me@db.example:5432/app sslmode=verify-full","secret":true,"#,
        ] { #expect(json.contains(row), "\(row)") }
        #expect(!json.contains("planted"))
    }

    /// Random YAML from the alphabet of real keys and values is loaded or refused, and nothing else.
    @Test func anything_whenTheFileIsRandom() {
        let seed = Seeds.extra
        var generator = SplitMix64(seed: seed)
        let words =
            ConfigurationKey.all.flatMap { $0.name.split(separator: ".").map(String.init) } + [
                ":", ": ", "\n", "\n  ", "\n    ", "{", "}", "[", "]", ",", "null", "none", "10:00", "-1",
                "99999999999999999999", "\"", "'", "|", "\u{0}",
                "1e9s", ".", "1.", "5m", "é", "\u{1F600}",
            ]
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 0...30, using: &generator)).map { _ in
                words.randomElement(using: &generator) ?? ""
            }.joined()
            for fault in fixture.faults(text) { #expect(!fault.isEmpty, "seed \(seed)") }
        }
    }
}
