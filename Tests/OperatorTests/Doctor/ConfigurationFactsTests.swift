import Foundation
import Systemd
import TestSupport
import Testing

@testable import Configuration
@testable import Operator

@Suite struct ConfigurationFactsTests {
    /// A configuration in a folder of its own, with credentials beside it.
    private static func facts(
        _ yaml: String,
        credentials: [String: (text: String, mode: mode_t)] = [:],
        folderMode: mode_t = 0o700,
        mode: mode_t = 0o644
    ) throws -> ConfigurationFacts {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write(yaml, to: "nudged.yaml")
        chmod(path, mode)
        let secrets = folder.path + "/credentials"
        mkdir(secrets, 0o700)
        for (name, (text, mode)) in credentials { chmod(try folder.write(text, to: "credentials/\(name)"), mode) }
        chmod(secrets, folderMode)
        return ConfigurationFacts(path: path, environment: ["CREDENTIALS_DIRECTORY": secrets], folder: secrets)
    }

    private static let apns = """
        apns: {teamId: TEAM123456, keyId: KEY1234567, bundleId: com.example.app, environment: sandbox}

        """
    private static let url = "postgresql://nudged_daemon@localhost/app"

    @Test func findings_whenAllIsWell_sayWhereSecretsLie() throws {
        let key = GeneratedKey.ellipticCurve(415)
        let facts = try Self.facts(
            Self.apns,
            credentials: ["apns.privateKey": (key, 0o400), "database.url": (Self.url, 0o640)]
        )
        let findings = facts.findings
        #expect(findings.map(\.level) == [.ok, .ok, .ok] && findings[0].found.hasSuffix("nudged.yaml; it loads"))
        #expect(findings[1].found.hasSuffix("/apns.privateKey: mode 0400"))
        #expect(findings[2].found.hasSuffix("/database.url: mode 0640"))
        #expect(facts.database?.database?.url.text == Self.url && facts.apns?.apns?.lanes.count == 1)
    }

    @Test(arguments: [
        (0o604 as mode_t, 0o700 as mode_t, Finding.Level.error), (0o620, 0o700, .warning), (0o600, 0o770, .warning),
        (0o600, 0o1777, .ok), (0o440, 0o755, .ok),
    ]) func secret_whenOthersGetAtIt_isSaid(mode: mode_t, folder: mode_t, expected: Finding.Level) throws {
        let facts = try Self.facts("", credentials: ["database.url": (Self.url, mode)], folderMode: folder)
        let finding = try #require(facts.findings.first { $0.check == "secrets" })
        #expect(finding.level == expected, "\(finding)")
        if expected == .error {
            #expect(finding.status == .permission && finding.remedy?.hasPrefix("chmod 600 /") == true)
        }
    }

    @Test func configuration_whenOthersCanWriteIt_isAnErrorWithItsModeAndTheFix() throws {
        let facts = try Self.facts(Self.apns, credentials: ["database.url": (Self.url, 0o600)], mode: 0o664)
        let finding = try #require(facts.findings.first { $0.check == "file" })
        #expect(finding.level == .error && finding.status == .permission, "\(finding)")
        #expect(finding.found.hasSuffix("nudged.yaml can be changed by others than its owner (mode 0664)"))
        #expect(finding.remedy?.hasPrefix("check its content, then chmod go-w /") == true)
        #expect(facts.database == nil && facts.apns == nil)
    }

    /// What is wrong on Apple's side keeps nobody from looking at the database.
    @Test func configuration_whenOneSideIsWrong_givesTheOther() throws {
        let facts = try Self.facts("apns:\n  teamID: X\n", credentials: ["database.url": (Self.url, 0o600)])
        let findings = facts.findings
        let place = try #require(findings.first { $0.found.contains("apns.teamID") })
        #expect(place.found.contains("nudged.yaml:2:3: apns.teamID: "), "\(place)")
        #expect(place.remedy?.contains("apns.teamId") == true)
        #expect(place.level == .error && place.status == .configuration)
        #expect(facts.apns == nil)
    }

    @Test func configuration_whenAppleIsNotConfigured_givesTheDatabase() throws {
        let facts = try Self.facts("", credentials: ["database.url": (Self.url, 0o600)])
        #expect(facts.database?.database != nil && facts.apns == nil)
        #expect(DoctorReport(facts.findings).status == .configuration)
    }
}
