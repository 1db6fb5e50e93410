import Base
import Fixtures
import Testing

@testable import Configuration

@Suite struct ConfigurationAppsTests {
    private let fixture = ConfigurationFixture()

    private static let other = "-----BEGIN PRIVATE KEY-----\nplanted-other\n-----END PRIVATE KEY-----"

    private func lanes(_ yaml: String, _ more: [String: String] = [:]) throws -> [Configuration.Lane] {
        let loaded = try fixture.load(yaml, with: more)
        #expect(loaded.warnings.isEmpty, "\(loaded.warnings)")
        return try #require(loaded.configuration.apns).lanes
    }

    @Test func entry_whenItSaysOneKeyInheritsTheOthers() throws {
        let caFile = fixture.write("certificates", to: "ca.pem", mode: 0o644)
        let found = try lanes(
            """
            apns:
              endpoint: https://127.0.0.1:8443
              caFile: \(caFile)
              apps:
                - environment: production
                - bundleId: com.example.other
                  teamId:
            """
        )
        var main = ConfigurationFixture.lane
        main.endpoint = .init(host: "127.0.0.1", port: 8443)
        main.caFile = caFile
        var (second, third) = (main, main)
        second.environment = .production
        third.bundleID = "com.example.other"
        #expect(found == [main, second, third])
    }

    @Test func entry_whenItSaysEverythingTakesNothing() throws {
        let caFile = fixture.write("certificates", to: "ca.pem", mode: 0o644)
        let keyFile = fixture.write(Self.other, to: "other.p8")
        let found = try lanes(
            """
            apns:
              apps:
                - teamId: ZYXWV98765
                  keyId: KEY2345678
                  privateKeyFile: \(keyFile)
                  bundleId: com.example.other
                  environment: production
                  endpoint: https://localhost:1
                  caFile: \(caFile)
            """
        )
        var lane = ConfigurationFixture.lane
        (lane.teamID, lane.keyID, lane.privateKey) = ("ZYXWV98765", "KEY2345678", Secret(Self.other))
        (lane.bundleID, lane.caFile) = ("com.example.other", caFile)
        lane.environment = .production
        lane.endpoint = .init(host: "localhost", port: 1)
        #expect(found.last == lane)
    }

    @Test(arguments: ["apns: {apps: []}", "apns:\n  apps:\n", "apns: {apps: null}", "apns: {apps: ~}"])
    func mainAppAlone_whenTheListIsEmpty(yaml: String) throws { #expect(try lanes(yaml).count == 1) }

    private static let otherApp = "apns:\n  apps:\n    - bundleId: com.example.other\n      keyId: KEY2345678\n"

    /// As everywhere: environment over credentials over file. An entry has the key of one above with the same id.
    @Test func ownKey_isOfTheStrongestPlaceThatHasIt() throws {
        let file = fixture.write(Self.other, to: "other.p8")
        fixture.write(Self.other + "\n", to: "apns.privateKey.KEY2345678")
        let (name, third) = ("APNS_PRIVATE_KEY_KEY2345678", "-----BEGIN third")
        let credentials = ["CREDENTIALS_DIRECTORY": fixture.folder]
        let absent = Self.otherApp + "      privateKeyFile: /nonexistent/key.p8\n"
        let same = "    - {bundleId: com.example.other, keyId: KEY2345678, environment: production}\n"
        for (yaml, more, keys) in [
            (Self.otherApp, [name: Self.other], [Self.other]),
            (Self.otherApp, ["APNS_PRIVATE_KEY_FILE_KEY2345678": file], [Self.other]),
            (Self.otherApp, credentials, [Self.other]), (absent, credentials, [Self.other]),
            (absent, credentials.merging([name: third]) { $1 }, [third]),
            (Self.otherApp + same, [name: Self.other], [Self.other, Self.other]),
            (Self.otherApp + "      privateKeyFile: \(file)\n" + same, [:], [Self.other, Self.other]),
        ] as [(String, [String: String], [String])] {
            let found = try lanes(yaml, more).map(\.privateKey.text)
            #expect(found == [ConfigurationFixture.key] + keys, "\(yaml) \(more.keys)")
        }
    }

    @Test func fault_whenThereAreTooManyApps() throws {
        func list(_ count: Int) -> String {
            "apns:\n  apps:\n" + (0..<count).map { "    - bundleId: com.example.app\($0)\n" }.joined()
        }
        #expect(try lanes(list(32)).count == 33)
        #expect(fixture.faults(list(33)) == ["nudged.yaml:35:7: apns.apps: more than 32 apps: keep at most 32"])
    }

    @Test func fault_whenAKeyOfItsOwnIsRefused() {
        struct NoKey: Error, CustomStringConvertible { let description = "this key is not on the curve P-256" }
        let checks = ConfigurationChecks { $0.key = { if $0.text == Self.other { throw NoKey() } } }
        // An entry below that inherits the bad key makes no second fault of it.
        let yaml = Self.otherApp + "    - {bundleId: com.example.other, keyId: KEY2345678, environment: production}\n"
        for (text, count) in [(Self.otherApp, 1), (yaml, 2)] {
            let faults = fixture.faults(text, with: ["APNS_PRIVATE_KEY_KEY2345678": Self.other], checks: checks)
            #expect(faults.count == count)
            #expect(
                faults.first
                    == "environment APNS_PRIVATE_KEY_KEY2345678: apns.apps[0].privateKey: this key is not on the curve P-256: "
                    + "use the .p8 file of an APNs key from Apple's developer site"
            )
        }
    }

    @Test func fault_whenACredentialCantBeRead() {
        fixture.write("a\u{0}b", to: "apns.privateKey.KEY2345678")
        let faults = fixture.faults(Self.otherApp, with: ["CREDENTIALS_DIRECTORY": fixture.folder])
        #expect(faults.count == 1)
        let expected = "apns.apps[0].privateKey: apns.privateKey.KEY2345678 is not "
        #expect(faults.first?.hasPrefix(expected) == true, "\(faults)")
    }

    @Test func faults_whenTheMainAppIsWrongAreToldOnce() {
        #expect(
            fixture.faults("apns:\n  keyId: short\n  apps: [{environment: production}]\n", without: ["APNS_KEY_ID"])
                == ["nudged.yaml:2:10: apns.keyId: \"short\" is wrong: write 10 capital letters and digits"]
        )
        let found = fixture.faults("apns:\n  apps: [{environment: production}]\n", without: ["APNS_PRIVATE_KEY"]).count
        #expect(found == 1)
        #expect(fixture.faults("apns:\n  apps: [{environment: production}]\n", without: ["APNS_BUNDLE_ID"]).count == 1)
    }

    /// A device's own row decides; one without an environment belongs to the first lane.
    @Test func environment_whenItIsNotSet_isBoth() throws {
        func lanes(_ yaml: String) throws -> [String] {
            let loaded = try fixture.load(yaml, without: ["APNS_ENVIRONMENT"])
            return try #require(loaded.configuration.apns).lanes.map { "\($0.bundleID) \($0.environment)" }
        }
        let both = ["com.example.app production", "com.example.app sandbox"]
        #expect(try lanes("apns: {}\n") == both)
        #expect(try lanes("apns: {environment: sandbox}\n") == ["com.example.app sandbox"])
        let other = "apps: [{bundleId: com.example.other}"
        let found = try lanes("apns: {\(other)]}\n")
        #expect(found == both + ["com.example.other production", "com.example.other sandbox"])
        let expected = ["com.example.app sandbox", "com.example.other sandbox", "com.example.app production"]
        #expect(try lanes("apns: {environment: sandbox, \(other), {environment: production}]}\n") == expected)
        let wanted =
            "nudged.yaml:1:29: apns.apps[0].environment: apns has com.example.app in sandbox already: "
            + "give it another bundleId or another environment, or remove the entry"
        #expect(fixture.faults("apns: {apps: [{environment: sandbox}]}\n", without: ["APNS_ENVIRONMENT"]) == [wanted])
    }

    /// `nudged status` is run by people who may read the database and not the key.
    @Test func keyFiles_whenTheCommandDoesNotSend_areNotRead() {
        let yaml =
            "apns:\n  privateKeyFile: /nonexistent/a\n  caFile: /nonexistent/b\n  apps:\n    - {environment: production, keyId: KEY2345678}\n"
        #expect(fixture.faults(yaml, without: ["APNS_PRIVATE_KEY"], needs: .database) == [])
        #expect(fixture.faults(yaml, without: ["APNS_PRIVATE_KEY"]).count == 3)
    }

    @Test func variable_whenNoEntryHasItsKey() throws {
        let warnings = try fixture.load("log: {}", with: ["APNS_PRIVATE_KEY_KEY9999999": "x"]).warnings
        #expect(warnings.map(\.source) == [.environment(name: "APNS_PRIVATE_KEY_KEY9999999")])
    }

    @Test func show_printsEachLaneWithItsSources() throws {
        let loaded = try fixture.load(Self.otherApp, with: ["APNS_PRIVATE_KEY_KEY2345678": Self.other])
        let shown = fixture.short(loaded.table)
        #expect(!shown.contains("planted"))
        let lines = shown.split(separator: "\n").map { $0.split(separator: " ", omittingEmptySubsequences: true) }
        for expected: [Substring] in [
            ["apns.apps[0].bundleId", "com.example.other", "nudged.yaml:3:17"],
            ["apns.apps[0].privateKey", "(hidden)", "environment", "APNS_PRIVATE_KEY_KEY2345678"],
            ["apns.apps[0].environment", "sandbox", "environment", "APNS_ENVIRONMENT", "(apns.environment)"],
        ] { #expect(lines.contains(expected), "\(expected)") }
        let order = lines.compactMap(\.first)
        let place = try #require(order.firstIndex(of: "apns.apps[0].teamId"))
        #expect(order[place - 1] == "apns.privateKey")
        let found = order[place...].firstIndex(of: "database.url")
        #expect(found == order.lastIndex { $0.hasPrefix("apns.apps") }.map { $0 + 1 })
    }
}

extension ConfigurationFixture {
    /// What the environment says.
    static let lane = Configuration.Lane(
        teamID: "ABCDE12345",
        keyID: "KEY1234567",
        privateKey: Secret(key),
        bundleID: "com.example.app",
        environment: .sandbox
    )
}
