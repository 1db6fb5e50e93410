public import OpenSSL

/// The certificates and keys that a simulated Apple needs: an authority to trust, a server certificate for `localhost`, and a provider key.
public struct SimulatorCertificate: Sendable {
    /// The authority's certificate as PEM text: what `apns.caFile` is to hold.
    public let authority: String
    /// The server's.
    public let server: IssuedCertificate
    /// The provider key: its private half is what Apple hands out as a `.p8` file.
    public let providerKey: P256KeyPair

    private let issuer: SelfSignedAuthority

    /// New ones, for `localhost` and the loopback addresses.
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

    /// Another server certificate of the same authority, good or bad.
    ///
    /// - Parameters:
    ///   - names: host names and numeric addresses that it names.
    ///   - seconds: from now to its end; negative: expired.
    public func server(for names: [String], expiringIn seconds: Int = 86_400) throws(SimulatorError)
        -> IssuedCertificate
    {
        do throws(TLSError) {
            return try issuer.issue(for: names, notAfter: seconds)
        } catch {
            throw SimulatorError(code: .certificate, context: error.description)
        }
    }

    /// The provider key as the service knows it.
    public func registered(keyID: String, teamID: String) -> SimulatorSettings.ProviderKey {
        SimulatorSettings.ProviderKey(keyID: keyID, teamID: teamID, pem: providerKey.publicKey)
    }
}
