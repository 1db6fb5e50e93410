import Systemd

/// The secrets from systemd's credentials directory, by key.
struct CredentialValues {
    private(set) var values: [String: RawValue] = [:]
    private(set) var problems: [ConfigurationProblem] = []

    init(_ credentials: Credentials) {
        for key in ConfigurationKey.all {
            guard let name = key.credentialName, let path = credentials.path(of: name) else { continue }
            do throws(SystemdError) {
                guard let secret = try credentials.read(name) else { continue }
                let isKey = if case .pem = key.kind { true } else { false }
                values[key.name] = RawValue(
                    text: isKey ? nil : secret.text,
                    secret: isKey ? secret : nil,
                    source: .credential(path: path)
                )
            } catch {
                problems.append(ConfigurationProblem(error, at: .credential(path: path), key: key.name))
            }
        }
    }
}

extension ConfigurationProblem {
    /// A file that the configuration names, or a credential, can't be used.
    init(_ error: SystemdError, at source: ValueSource?, key: String) {
        self.init(
            error.exitStatus == .permission ? .permission : .error,
            at: source,
            key: key,
            what: error.problem,
            remedy: error.remedy
        )
    }
}
