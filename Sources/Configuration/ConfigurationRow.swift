/// One line of `config --show`.
package struct ConfigurationRow: Sendable, Equatable {
    /// The dotted key.
    package let key: String
    /// Its value as it would be written; `(hidden)` for a secret, `(not set)` for none.
    package let value: String
    /// Where it came from.
    package let source: ValueSource
    /// In an entry of `apns.apps`: the key that says it, where the entry doesn't.
    package let origin: String?
}

extension EffectiveValues {
    /// Every key, in the order of the reference; an entry's keys where these are an entry's values.
    func rows() -> [ConfigurationRow] {
        (app == nil ? ConfigurationKey.all : ConfigurationKey.ofApp).map { key in
            let value: String =
                switch parsed(key.name) {
                case .none:
                    key.takesNone && (key.standard != nil || source(key.name) != .standard) ? "none" : "(not set)"
                case _ where key.isSecret: Secret("").description
                case .text(let text): text
                case .integer(let number): String(number)
                case .boolean(let flag): String(flag)
                case .duration(let duration): DurationText.format(duration)
                case .wallTime(let time): time.description
                case .endpoint(let endpoint): endpoint.description
                case .loopback(let address): address.description
                }
            return ConfigurationRow(
                key: shownName(key.name),
                value: value,
                source: source(key.name),
                origin: origins[key.name]
            )
        }
    }
}
