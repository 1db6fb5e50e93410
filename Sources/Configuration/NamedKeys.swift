import Systemd

/// Signing keys of further apps from outside the file: a credential or a variable that is named for the key's id.
struct NamedKeys {
    let environment: [String: String]
    let credentials: Credentials

    /// The layers for the key `keyID`, for `EffectiveValues`.
    ///
    /// They come from the credential `apns.privateKey.KEYID` and the variables `APNS_PRIVATE_KEY_KEYID` and
    /// `APNS_PRIVATE_KEY_FILE_KEYID`.
    func layers(for keyID: String) throws(Fault) -> [[String: RawValue]] {
        var variables: [String: RawValue] = [:]
        for key in Self.keys {
            let name = key.environmentName(forKeyID: keyID)
            // As everywhere, an empty variable counts as unset.
            guard let text = environment[name], !text.isEmpty else { continue }
            variables[key.name] = RawValue(text: text, source: .environment(name: name))
        }
        let name = "apns.privateKey." + keyID
        guard let path = credentials.path(of: name) else { return [variables] }
        let source = ValueSource.credential(path: path)
        do throws(SystemdError) {
            guard let secret = try credentials.read(name) else { return [variables] }
            return [variables, ["apns.privateKey": RawValue(text: nil, secret: secret, source: source)]]
        } catch {
            throw Fault(error: error, source: source)
        }
    }

    /// A credential that exists but can't be used.
    struct Fault: Error {
        let error: SystemdError
        let source: ValueSource
    }

    /// The two keys that give a signing key.
    static let keys = ConfigurationKey.ofApp.filter {
        $0.name == "apns.privateKey" || $0.name == "apns.privateKeyFile"
    }
}
