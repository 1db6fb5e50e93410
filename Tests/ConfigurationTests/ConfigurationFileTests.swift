import Fixtures
import Testing

@testable import Configuration

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
    )
    func changed_keepsAllElse(_ wanted: [(String, String?)], _ expected: String?) throws {
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
