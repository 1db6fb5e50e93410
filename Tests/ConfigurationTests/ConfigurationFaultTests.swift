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

    private struct NoKey: Error, CustomStringConvertible { let description = "this key is not on the curve P-256" }

    /// `Tests/Reference/configuration-faults.txt` says of each file what its fault is.
    @Test func fault_whenTheFileSays() throws {
        let lines = try Checkout.reference("configuration-faults")
        #expect(lines.count == 2 * 64)
        for place in stride(from: 0, to: lines.count - 1, by: 2) {
            let (yaml, fault) = (lines[place].replacing("⏎", with: "\n"), lines[place + 1].drop { $0 == " " })
            #expect(fixture.faults("\(yaml)\n") == ["nudged.yaml:\(fault)"])
        }
    }

    @Test func faults_areAllReportedInTheOrderOfTheFile() {
        let yaml = "schedule:\n  batch: 0\n  intervall: 1s\nlog:\n  level: loud\napns:\n  keyId: short\n"
        let faults = fixture.faults(yaml, with: ["POLICY_MAX_PER_DAY": "-1"], without: ["APNS_KEY_ID", "APNS_TEAM_ID"])
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
        let shown = "a" + String(repeating: "\u{301}", count: 39)
        let expected = "nudged.yaml:2:10: schedule.batch: \"\(shown)…\" is wrong: write a whole number from 1 to 10000"
        #expect(fixture.faults("schedule:\n  batch: a\(marks)\n") == [expected])
    }

    @Test func key_whenGivenTwiceOrNotAtAll() {
        let name = "APNS_PRIVATE_KEY_FILE"
        let expected = "environment \(name): apns.privateKeyFile: apns.privateKey is given too: keep one of them"
        #expect(fixture.faults(with: [name: "/key.p8"]) == [expected])
        let neither = fixture.faults("log: {}", without: ["APNS_PRIVATE_KEY"])
        #expect(neither.count == 1)
        #expect(neither.first?.hasPrefix("apns.privateKey: it is missing, and so is apns.privateKeyFile: ") == true)
    }

    @Test func keyFile_whenItCantBeUsed() throws {
        let open = fixture.write("-----BEGIN", to: "open.p8", mode: 0o604)
        func faults(_ file: String) -> [String] {
            fixture.faults("apns:\n  privateKeyFile: \(file)\n", without: ["APNS_PRIVATE_KEY"])
        }
        let place = "nudged.yaml:2:19: apns.privateKeyFile:"
        let expected = "\(place) open.p8 is readable by every user of this machine: chmod 600 open.p8"
        #expect(faults(open) == [expected])
        // Not a word of a key that was written in the wrong place is repeated.
        for text in [
            "|\n    -----BEGIN PRIVATE KEY-----\n    c2VjcmV0\n", "\"MIG\(String(repeating: "c2VjcmV0", count: 20))\"",
        ] {
            let found = faults(text)
            #expect(found.count == 1 && found[0].contains("this is a key's text"), "\(found)")
            #expect(!found.joined().contains("c2VjcmV0"))
        }
        let wanted = "\(place) /nonexistent/k.p8 does not exist: put the file there, or give the right path"
        #expect(faults("/nonexistent/k.p8") == [wanted])
        #expect(faults(fixture.folder).first?.hasSuffix(" is not a regular file: give the path of a file") == true)
        for (start, status) in [("", ExitStatus.permission), ("log: 1\n", .configuration)] {
            let error = #expect(throws: ConfigurationError.self) {
                try fixture.load("\(start)apns:\n  privateKeyFile: \(open)\n", without: ["APNS_PRIVATE_KEY"])
            }
            #expect(error?.exitStatus == status)
        }
    }

    @Test func key_whenOpenSSLRefusesIt() {
        let checks = ConfigurationChecks { $0.key = { _ in throw NoKey() } }
        let expected =
            "environment APNS_PRIVATE_KEY: apns.privateKey: this key is not on the curve P-256: "
            + "use the .p8 file of an APNs key from Apple's developer site"
        #expect(fixture.faults(checks: checks) == [expected])
    }

    @Test func database_whenPostgresRefusesIt() {
        struct Insecure: Error, CustomStringConvertible { let description = "db.example is not local" }
        let checks = ConfigurationChecks {
            $0.database = { _, allowInsecure in
                if !allowInsecure { throw Insecure() }
                return nil
            }
        }
        let wanted = "environment DATABASE_URL: database.url: db.example is not local: "
        #expect(fixture.faults(checks: checks).first?.hasPrefix(wanted) == true)
        #expect(fixture.faults("database: {allowInsecure: true}", checks: checks).isEmpty)
    }

    @Test func zone_whenTheSystemDoesNotKnowIt() {
        let checks = ConfigurationChecks { $0.zone = { $0 != "Mars/Base" } }
        let expected =
            "nudged.yaml:2:20: policy.defaultTimezone: this system knows no zone \"Mars/Base\": "
            + "write a name from /usr/share/zoneinfo, such as Europe/Berlin"
        #expect(fixture.faults("policy:\n  defaultTimezone: Mars/Base\n", checks: checks) == [expected])
    }

    @Test func file_whenItIsMissing() throws {
        func refusal(_ environment: [String: String]) -> ConfigurationError? {
            return #expect(throws: ConfigurationError.self) {
                try ConfigurationLoader.load(path: "/nonexistent/n.yaml", environment: environment)
            }
        }
        let error = refusal(ConfigurationFixture.environment)
        #expect(error?.exitStatus == .configuration)
        let text = "error: /nonexistent/n.yaml does not exist: put the file there, or give the right path"
        #expect(error?.description == text)
        // What it may have said is not called missing as well.
        #expect(refusal([:])?.problems.count == 1)
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
        let names = ["APNS_TEAMID", "POLICY_CHECKIN_TIME", "APNS_SOMETHING_ELSE_ALTOGETHER", "UNRELATED"]
        let loaded = try fixture.load(with: Dictionary(uniqueKeysWithValues: names.map { ($0, "x") }))
        #expect(
            loaded.warnings.map(\.description) == [
                "environment APNS_SOMETHING_ELSE_ALTOGETHER: unknown variable: unset it, or see nudged config --reference",
                "environment APNS_TEAMID: unknown variable: did you mean APNS_TEAM_ID?",
                "environment POLICY_CHECKIN_TIME: unknown variable: did you mean POLICY_CHECK_IN_TIME?",
            ]
        )
        #expect(loaded.verdict.hasSuffix("\nok: environment and defaults, 3 warnings"))
    }

    @Test func report_whenBadAndGood() throws {
        let error = #expect(throws: ConfigurationError.self) { try fixture.load("log:\n  level: loud\n  color: red\n") }
        let lines = fixture.short(try #require(error).description).split(separator: "\n")
        #expect(lines.count == 2 && lines[1].contains("log.color: unknown key"))
        let loaded = try fixture.load("log:\n  level: debug\n")
        #expect(fixture.short(loaded.verdict) == "ok: nudged.yaml")
        let shown = fixture.short(loaded.table).split(separator: "\n").map {
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
        let json = fixture.short(loaded.json)
        #expect(throws: Never.self) { try JSONValue(parsing: json) }
        let first = #"{"file":"nudged.yaml","values":[{"key":"apns.teamId","value":"ABCDE12345","#
        #expect(json.hasPrefix(first), "\(json)")
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
                "99999999999999999999", "\"", "'", "|", "\u{0}", "1e9s", ".", "1.", "5m", "é", "\u{1F600}",
            ]
        for _ in 0..<2000 {
            let text = (0..<generator.int(0...30)).map { _ in generator.pick(words) }.joined()
            for fault in fixture.faults(text) { #expect(!fault.isEmpty, "seed \(seed)") }
        }
    }
}
