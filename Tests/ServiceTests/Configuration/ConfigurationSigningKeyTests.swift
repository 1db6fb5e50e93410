import Fixtures
import TestSupport
import Testing

@testable import Configuration
@testable import Service

/// The signing key, as OpenSSL reads it.
@Suite struct ConfigurationSigningKeyTests {
    private let fixture = ConfigurationFixture()
    private let checks = ConfigurationChecks { $0.key = ConfigurationChecks.system.key }

    @Test func key_whenItIsRSA_saysTheFixOnce() {
        let environment = ConfigurationFixture.environment.merging(["APNS_PRIVATE_KEY": GeneratedKey.rsa()]) { $1 }
        #expect(
            fixture.faults(environment: environment, checks: checks) == [
                "environment APNS_PRIVATE_KEY: apns.privateKey: the key is a private key, but not an elliptic curve key: "
                    + "use the .p8 file of an APNs authentication key (Apple Developer, Keys), not a certificate's key"
            ]
        )
    }

    @Test func key_whenItIsOnP256_isTaken() {
        let key = GeneratedKey.ellipticCurve(415)
        let environment = ConfigurationFixture.environment.merging(["APNS_PRIVATE_KEY": key]) { $1 }
        #expect(fixture.faults(environment: environment, checks: checks).isEmpty)
    }
}
