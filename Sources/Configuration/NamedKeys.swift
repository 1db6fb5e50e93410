import Systemd

/// The signing keys of further apps that stand in no file of ours: as a credential or variable that is named for the key's id.
struct NamedKeys {
    let environment: [String: String]
    let credentials: Credentials

    /// What is there for the key `keyID`, in layers as `EffectiveValues` takes them.
    ///
    /// The names: the credential `apns.privateKey.KEYID`, the variables `APNS_PRIVATE_KEY_KEYID` and `APNS_PRIVATE_KEY_FILE_KEYID`.
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
            let text = try credentials.read(name)
            return [variables] + (text.map { [["apns.privateKey": RawValue(text: $0, source: source)]] } ?? [])
        } catch {
            throw Fault(error: error, source: source)
        }
    }

    /// A credential that is there and can't be used.
    struct Fault: Error {
        let error: SystemdError
        let source: ValueSource
    }

    /// The two ways to give a key.
    static let keys = ConfigurationKey.ofApp.filter {
        $0.name == "apns.privateKey" || $0.name == "apns.privateKeyFile"
    }
}
