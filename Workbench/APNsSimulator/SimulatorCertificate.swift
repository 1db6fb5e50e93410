public import Certificates
import OpenSSL

/// The certificates and keys of a simulated Apple: an authority, a server certificate for `localhost`, and a provider
/// key.
public struct SimulatorCertificate: Sendable {
    /// The authority's certificate as PEM text, for `apns.caFile`.
    public let authority: String
    /// The server's certificate and key.
    public let server: IssuedCertificate
    /// The provider key. Its private half is what Apple hands out as a `.p8` file.
    public let providerKey: P256KeyPair

    private let issuer: SelfSignedAuthority

    /// Makes new ones, for `localhost` and the loopback addresses.
    public init() throws(SimulatorError) {
        do throws(TLSError) {
            let authority = try SelfSignedAuthority()
            issuer = authority
            self.authority = authority.certificate
            server = try authority.issue(for: ["localhost", "127.0.0.1", "::1"])
            providerKey = try P256KeyPair.generate()
        } catch {
            throw SimulatorError(code: .certificate, context: error.description)
        }
    }

    /// Makes another server certificate of the same authority, valid or not.
    ///
    /// - Parameters:
    ///   - names: the host names and numeric addresses in the certificate.
    ///   - seconds: how long it is valid from now. A negative value makes an expired certificate.
    public func server(for names: [String], expiringIn seconds: Int = 86_400) throws(SimulatorError)
        -> IssuedCertificate
    {
        do throws(TLSError) {
            return try issuer.issue(for: names, notAfter: seconds)
        } catch {
            throw SimulatorError(code: .certificate, context: error.description)
        }
    }

    /// The provider key's public half, for `SimulatorSettings.keys`.
    public func registered(keyID: String, teamID: String) -> SimulatorSettings.ProviderKey {
        SimulatorSettings.ProviderKey(keyID: keyID, teamID: teamID, pem: providerKey.publicKey)
    }
}
