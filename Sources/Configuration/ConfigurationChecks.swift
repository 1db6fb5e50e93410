/// What only other modules can judge. Each throws with words that hold no secret; `description` of the error is shown.
package struct ConfigurationChecks: Sendable {
    /// Whether a PEM text is a P-256 key (OpenSSL).
    package var key: @Sendable (String) throws -> Void
    /// Whether a libpq URI is good, and safe enough unless insecurity is allowed (Postgres).
    package var database: @Sendable (_ url: String, _ allowInsecure: Bool) throws -> Void
    /// Whether the system knows this zone (TimeZones).
    package var zone: @Sendable (String) -> Bool

    /// Whether a decision service's address and token can be used (HTTPClient).
    package var service: @Sendable (_ url: String, _ token: String?) throws -> Void

    /// Whether the address that is called after good sweeps can be used (HTTPClient).
    package var heartbeat: @Sendable (_ url: String) throws -> Void

    /// Whether the words of a check-in fit a push (APNs).
    package var words: @Sendable (_ title: String, _ body: String) throws -> Void

    /// Checks that let everything pass, unless given.
    package init(
        key: @escaping @Sendable (String) throws -> Void = { _ in },
        database: @escaping @Sendable (_ url: String, _ allowInsecure: Bool) throws -> Void = { _, _ in },
        zone: @escaping @Sendable (String) -> Bool = { _ in true },
        service: @escaping @Sendable (_ url: String, _ token: String?) throws -> Void = { _, _ in },
        heartbeat: @escaping @Sendable (_ url: String) throws -> Void = { _ in },
        words: @escaping @Sendable (_ title: String, _ body: String) throws -> Void = { _, _ in }
    ) {
        self.key = key
        self.database = database
        self.zone = zone
        self.service = service
        self.heartbeat = heartbeat
        self.words = words
    }
}
