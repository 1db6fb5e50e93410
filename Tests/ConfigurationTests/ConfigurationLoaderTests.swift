import Fixtures
import Glibc
import Policy
import Testing

@testable import Configuration
@testable import YAML

@Suite struct ConfigurationLoaderTests {
    private let fixture = ConfigurationFixture()

    @Test func everything_whenTheFileSaysIt() throws {
        let keyFile = fixture.write(ConfigurationFixture.key + "\n", to: "key.p8")
        let caFile = fixture.write("certificates", to: "ca.pem", mode: 0o644)
        let yaml = """
            apns:
              teamId: ABCDE12345
              keyId: "KEY1234567"
              privateKeyFile: \(keyFile)
              bundleId: com.example.app
              environment: production
              endpoint: https://[::1]:8443
              caFile: \(caFile)
              maxInFlight: 500
              responseTimeout: 5s
            database:
              url: postgresql://nudged@db.example/app?sslmode=verify-full
              allowInsecure: true
              statementTimeout: 2m
            schedule: {interval: 500ms, lease: 11, batch: 10000}
            messages:
              digestTitle: Hi
              digestBody: |
                {count} came.
            policy:
              defaultTimezone: Europe/Berlin
              checkInTime: 09:30
              spreadMinutes: 1440
              quietHours: 21:00-07:00
              quietEndJitterMinutes: 240
              maxStalenessMinutes: 2880
              maxPerHour: 2
              maxPerDay: null
            log: {level: debug}
            """
        let configuration = try fixture.load(yaml, environment: [:]).configuration
        let apns = try #require(configuration.apns)
        var lane = ConfigurationFixture.lane
        lane.environment = .production
        lane.endpoint = .init(host: "::1", port: 8443)
        lane.caFile = caFile
        #expect(apns.lanes == [lane] && apns.maxInFlight == 500 && apns.responseTimeout == .seconds(5))
        let database = try #require(configuration.database)
        #expect(database.url.text == "postgresql://nudged@db.example/app?sslmode=verify-full")
        #expect(database.allowInsecure && database.statementTimeout == .seconds(120))
        #expect(configuration.schedule == .init(interval: .milliseconds(500), lease: .seconds(11), batch: 10_000))
        #expect(configuration.messages == .init(digestAfter: 3, digestTitle: "Hi", digestBody: "{count} came."))
        let policy = configuration.policy
        #expect(policy.defaultTimezone == "Europe/Berlin" && policy.checkInTime.description == "09:30")
        #expect(policy.spreadMinutes == 1440 && policy.quietHours?.description == "21:00-07:00")
        #expect(policy.quietEndJitterMinutes == 240 && policy.maxStalenessMinutes == 2880 && policy.maxPerHour == 2)
        #expect(policy.maxPerDay == nil && configuration.logLevel == .debug)
    }

    @Test func defaults_whenTheEnvironmentSuffices() throws {
        let loaded = try fixture.load()
        let configuration = loaded.configuration
        #expect(loaded.path == nil && loaded.warnings.isEmpty && configuration.apns?.maxInFlight == 2000)
        #expect(configuration.apns?.responseTimeout == .seconds(10))
        #expect(configuration.apns?.lanes.first?.endpoint == nil && configuration.database?.allowInsecure == false)
        #expect(configuration.schedule == .init(interval: .seconds(1), lease: .seconds(30), batch: 1000))
        #expect(configuration.policy.defaultTimezone == nil)
        #expect(configuration.policy.checkInTime.description == "10:00")
        #expect(configuration.policy.quietHours?.description == "22:00-08:00")
        #expect(configuration.policy.maxStalenessMinutes == 240 && configuration.policy.maxPerHour == nil)
        #expect(configuration.logLevel == .info)
    }

    @Test func policyKeys_haveThePolicysOwnDefaultsAndRanges() throws {
        let kind = Rules { ($0.spreadMinutes, $0.quietEndJitterMinutes) = (15, 10) }
        #expect(try fixture.load().configuration.policy == kind, "all else as in the specification")
        for (variable, bounds) in [
            ("POLICY_SPREAD_MINUTES", [0, 1440]), ("POLICY_QUIET_END_JITTER_MINUTES", [0, 240]),
            ("POLICY_MAX_STALENESS_MINUTES", [1, 2880]), ("POLICY_MAX_PER_HOUR", [1, .max]),
            ("POLICY_MAX_PER_DAY", [1, .max]),
        ] {
            for bound in bounds { #expect(fixture.faults(with: [variable: String(bound)]) == []) }
            if bounds[1] < .max { #expect(fixture.faults(with: [variable: String(bounds[1] + 1)]).count == 1) }
        }
    }

    @Test func everyDefault_isAValueOfItsKey() {
        for key in ConfigurationKey.all {
            guard let standard = key.standard, standard != "none" || !key.values.takesNone else { continue }
            var draft = Draft()
            #expect(key.values.read(RawValue(text: standard, source: .standard), &draft) == standard)
        }
        #expect(Set(ConfigurationKey.all.map(\.environmentName)).count == ConfigurationKey.all.count)
    }

    /// Each key is something to read, to choose and to get wrong.
    @Test func keys_areFew_andTheInternalOnesAreShownOnlyWhereTheyAreGiven() throws {
        #expect(ConfigurationKey.listed.count <= 29 && ConfigurationKey.listed.allSatisfy { !$0.isInternal })
        #expect(ConfigurationKey.all.count == ConfigurationKey.listed.count + ConfigurationKey.internals.count)
        let page = ConfigurationReference.page + ConfigurationReference.json
        for key in ConfigurationKey.internals where key.name != ConfigurationKey.signingKey {
            #expect(!page.contains("- `\(key.name)`") && !page.contains("\"\(key.name)\""), "\(key.name)")
        }
        #expect(try fixture.load().rows.map(\.key) == shownKeys(["apns.privateKey"]))
        let given = try fixture.load("schedule: {batch: 5}\n")
        #expect(given.rows.map(\.key) == shownKeys(["apns.privateKey", "schedule.batch"]))
    }

    private func shownKeys(_ internals: [String]) -> [String] {
        ConfigurationKey.all.filter { !$0.isInternal || internals.contains($0.name) }.map(\.name)
    }

    @Test(arguments: [
        ("apns.teamId", "APNS_TEAM_ID"), ("apns.privateKeyFile", "APNS_PRIVATE_KEY_FILE"),
        ("apns.caFile", "APNS_CA_FILE"), ("database.url", "DATABASE_URL"),
        ("messages.digestTitle", "MESSAGES_DIGEST_TITLE"), ("policy.checkInTime", "POLICY_CHECK_IN_TIME"),
        ("policy.quietHours", "POLICY_QUIET_HOURS"), ("policy.maxPerDay", "POLICY_MAX_PER_DAY"),
        ("log.level", "LOG_LEVEL"), ("apns.maxInFlight", "APNS_MAX_IN_FLIGHT"),
    ]) func variable_whenTheKeyIs(key: String, variable: String) {
        #expect(ConfigurationKey.byName[key]?.environmentName == variable)
    }

    @Test func precedence_environmentOverCredentialsOverFileOverDefault() throws {
        let yaml = "database: {url: \"postgresql:///file\"}\nschedule: {batch: 5}\n"
        let credentials = fixture.write("postgresql:///credential\n", to: "database.url")
        let more = ["CREDENTIALS_DIRECTORY": fixture.folder, "SCHEDULE_BATCH": "6"]
        func url(_ loaded: LoadedConfiguration) -> String? { loaded.configuration.database?.url.text }

        let all = try fixture.load(yaml, with: more)
        #expect(url(all) == ConfigurationFixture.environment["DATABASE_URL"] && all.configuration.schedule.batch == 6)
        #expect(all.rows.first { $0.key == "schedule.batch" }?.source == .environment(name: "SCHEDULE_BATCH"))
        let second = try fixture.load(yaml, with: more, without: ["DATABASE_URL", "SCHEDULE_BATCH"])
        #expect(url(second) == "postgresql:///credential")
        #expect(second.rows.first { $0.key == "database.url" }?.source == .credential(path: credentials))
        #expect(second.configuration.schedule.batch == 5)
        let third = try fixture.load(yaml, with: more, without: ["DATABASE_URL", "CREDENTIALS_DIRECTORY"])
        #expect(url(third) == "postgresql:///file")
        let found = third.rows.first { $0.key == "database.url" }?.source
        #expect(found == .file(path: fixture.path, mark: YAMLMark(line: 1, column: 17)))
        // Only secrets come as credentials.
        fixture.write("7", to: "schedule.batch")
        #expect(try fixture.load("", with: more, without: ["SCHEDULE_BATCH"]).configuration.schedule.batch == 1000)
    }

    /// Who can write the file could send pushes and the provider token to another server.
    @Test(arguments: [0o620 as mode_t, 0o602, 0o666]) func file_whenOthersCanWriteIt_isRefused(mode: mode_t) throws {
        let yaml = "apns: {endpoint: https://elsewhere.test}\n"
        let why = "can be changed by others than its owner (mode 0\(String(mode, radix: 8)))"
        let expected = "nudged.yaml \(why): check its content, then chmod go-w nudged.yaml"
        #expect(fixture.faults(yaml, mode: mode) == [expected])
        let error = #expect(throws: ConfigurationError.self) { try fixture.load(yaml, mode: mode) }
        #expect(error?.exitStatus == .permission && fixture.faults(yaml, mode: 0o644).isEmpty)
        // A folder is shared by its group, as /srv/app often is.
        chmod(fixture.folder, 0o770)
        #expect(fixture.faults(yaml).first?.hasPrefix("nudged.yaml can be replaced by others: ") == true)
        // The file at the standard path too.
        #expect(fixture.faults().count == 1)
    }

    /// A weaker value that is bad doesn't matter. An empty variable is none.
    @Test(arguments: [("schedule: {batch: none}", "6", 6), (nil, "", 1000)] as [(String?, String, Int)])
    func batch_whenAVariableGivesIt(yaml: String?, value: String, batch: Int) throws {
        #expect(try fixture.load(yaml, with: ["SCHEDULE_BATCH": value]).configuration.schedule.batch == batch)
    }

    @Test func privateKey_whenItsNewlinesAreWrittenOut() throws {
        let key = "-----BEGIN PRIVATE KEY-----\nab\\\\c\n-----END PRIVATE KEY-----\n"
        let loaded = try fixture.load(with: ["APNS_PRIVATE_KEY": key.replacing("\n", with: "\\n")])
        #expect(loaded.configuration.apns?.lanes.first?.privateKey.text == key)
    }

    @Test func privateKey_whenAStrongerPlaceNamesTheOther() throws {
        fixture.write("-----BEGIN from systemd", to: "apns.privateKey")
        // The file would name a key that isn't there: it is not even looked at.
        let more = ["CREDENTIALS_DIRECTORY": fixture.folder]
        let yaml = "apns: {privateKeyFile: /nonexistent/key.p8}"
        let loaded = try fixture.load(yaml, with: more, without: ["APNS_PRIVATE_KEY"])
        #expect(loaded.configuration.apns?.lanes.first?.privateKey.text == "-----BEGIN from systemd")
        #expect(loaded.rows.contains { $0.key == "apns.privateKeyFile" && $0.value == nil })
    }

    @Test func needs_whenACommandUsesLess() throws {
        #expect(try fixture.load(environment: [:], needs: []).configuration.apns == nil)
        let database = try fixture.load(environment: ["DATABASE_URL": "postgres:///app"], needs: .database)
            .configuration
        #expect(database.database?.url.text == "postgres:///app")
        #expect(fixture.faults(environment: [:], needs: .database).count == 1)
    }

    @Test func quietHours_whenGivenOrTurnedOff() throws {
        func quiet(_ yaml: String, _ more: [String: String] = [:]) throws -> String? {
            try fixture.load(yaml, with: more).configuration.policy.quietHours.map { "\($0.start)-\($0.end)" }
        }
        #expect(try quiet("policy: {quietHours: none}") == nil && quiet("policy: {quietHours: null}") == nil)
        #expect(try quiet("policy:\n  quietHours:\n") == nil)
        let late = "policy: {quietHours: 23:30-07:00}"
        #expect(try quiet(late) == "23:30-07:00" && quiet(late, ["POLICY_QUIET_HOURS": "none"]) == nil)
        #expect(try quiet("policy: {quietHours: none}", ["POLICY_QUIET_HOURS": "20:00-06:00"]) == "20:00-06:00")
    }

    @Test func secrets_areInNoOutput() throws {
        let loaded = try fixture.load()
        var dumped = ""
        dump(loaded, to: &dumped)
        let outputs = [dumped, "\(loaded)", String(reflecting: loaded), loaded.table, loaded.verdict]
        for output in outputs { #expect(!output.contains("planted")) }
        let faults = fixture.faults(with: ["APNS_PRIVATE_KEY": "planted-key", "DATABASE_URL": "mysql://planted"])
        #expect(faults.count == 2)
        for fault in faults { #expect(!fault.contains("planted")) }
    }
}

/// What `nudged setup` changes in a file that a person has edited.
@Suite struct ConfigurationFileTests {
    private static let present = """
        # ours
        apns:
          teamId: ABCDE12345   # the agency's
          endpoint: https://localhost:1
          caFile: "/ca" # made by us
        policy: {checkInTime: "09:00", maxStalenessMinutes: 60}
        """

    @Test(
        arguments: [
            ([("apns.teamId", "ABCDE12345")], nil), ([("apns.keyId", nil)], nil),
            (
                [("apns.teamId", "X: # 1")],
                present.replacing("ABCDE12345", with: #""X: # 1""#).replacing("   #", with: " #")
            ),
            (
                [("apns.endpoint", nil), ("apns.caFile", nil)],
                """
                # ours
                apns:
                  teamId: ABCDE12345   # the agency's
                policy: {checkInTime: "09:00", maxStalenessMinutes: 60}
                """
            ),
        ] as [([(String, String?)], String?)]
    ) func changed_keepsAllElse(_ wanted: [(String, String?)], _ expected: String?) throws {
        let fixture = ConfigurationFixture()
        fixture.write(Self.present + "\n")
        #expect(try ConfigurationFile.changed(fixture.path, to: wanted.map { ($0, $1) }, standard: "s") == expected)
    }

    @Test(arguments: [("policy.checkInTime", nil), ("apns.keyId", "KEY1234567")] as [(String, String?)])
    func changed_ofAnotherForm_isRefused(_ key: String, _ value: String?) throws {
        let fixture = ConfigurationFixture()
        fixture.write(Self.present)
        #expect(throws: ConfigurationFault.self) {
            try ConfigurationFile.changed(fixture.path, to: [(key, value)], standard: "s")
        }
    }
}

@Suite struct DurationTextTests {
    @Test(arguments: [
        ("500ms", 500_000), ("1s", 1_000_000), ("5m", 300_000_000), ("2h", 7_200_000_000), ("1", 1_000_000),
        ("0.5", 500_000), ("0.3s", 300_000), ("1.5m", 90_000_000), ("0", 0), ("0.000001", 1),
    ]) func duration_whenTheTextIs(text: String, microseconds: Int) {
        #expect(Duration(text: text) == .microseconds(microseconds))
    }

    @Test(arguments: [
        "", "s", "-1s", "1 s", "1d", "1.2.3", ".5", "5.", "١s", "1e3", "99999999999999999999", "1S", "+1", "0.0000001",
    ]) func nothing_whenTheTextIs(text: String) { #expect(Duration(text: text) == nil) }

    @Test(arguments: [0, 1, 999, 1000, 500_000, 1_000_000, 90_000_000, 300_000_000, 7_200_000_000, 1_234_567])
    func format_isReadBack(microseconds: Int) {
        let duration = Duration.microseconds(microseconds)
        #expect(Duration(text: duration.text) == duration)
    }
}
