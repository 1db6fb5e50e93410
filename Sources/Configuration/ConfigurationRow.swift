import Base

/// One line of `config`.
package struct ConfigurationRow: Sendable, Equatable {
    /// The dotted key.
    package let key: String
    /// The value as it would be written; nil if there is none. `(hidden)` for a secret; for the database's URL what of
    /// it is no secret.
    package let value: String?
    package let isSecret: Bool
    package let source: ValueSource
    /// For a value that an entry of `apns.apps` inherits: the key that gives it. Else nil.
    package let origin: String?
}

extension EffectiveValues {
    /// A row for each key, in the order of the reference. For an entry of `apns.apps`: a row for each key that an entry
    /// may give.
    ///
    /// - Parameter disclosed: what may be shown of secrets, by key.
    func rows(disclosed: [String: String] = [:]) -> [ConfigurationRow] {
        (app == nil ? ConfigurationKey.all : ConfigurationKey.ofApp).map { key in
            let value: String? =
                switch parsed(key.name) {
                case .none: key.takesNone && (key.standard != nil || source(key.name) != .standard) ? "none" : nil
                case _ where key.isSecret: disclosed[key.name] ?? Secret.hidden
                case .secret: Secret.hidden
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
                isSecret: key.isSecret,
                source: source(key.name),
                origin: origins[key.name]
            )
        }
    }
}
