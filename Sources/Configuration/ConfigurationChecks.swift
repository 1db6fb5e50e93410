package import Base

/// Checks that need other modules. Those that throw give an error whose `description` is shown, so it must hold no
/// secret.
package struct ConfigurationChecks: Sendable {
    /// Throws unless the PEM text is a P-256 key (OpenSSL).
    package var key: @Sendable (Secret) throws -> Void
    /// Throws unless the libpq URI is valid and, without `allowInsecure`, safe (Postgres). Returns what of it is no
    /// secret: user, hosts, database and sslmode. Nil: nothing may be shown.
    package var database: @Sendable (_ url: String, _ allowInsecure: Bool) throws -> String?
    /// Whether the system has this time zone (TimeZones).
    package var zone: @Sendable (String) -> Bool

    /// Throws unless a decision service's address and token can be used (HTTPClient).
    package var service: @Sendable (_ url: String, _ token: String?) throws -> Void

    /// Throws unless the address for calls after good sweeps can be used (HTTPClient).
    package var heartbeat: @Sendable (_ url: String) throws -> Void

    /// Throws unless a title and a text fit a push: a check-in's or a digest's (APNs).
    package var text: @Sendable (_ title: String, _ body: String) throws -> Void

    /// By default every check passes.
    package init(
        key: @escaping @Sendable (Secret) throws -> Void = { _ in },
        database: @escaping @Sendable (_ url: String, _ allowInsecure: Bool) throws -> String? = { _, _ in nil },
        zone: @escaping @Sendable (String) -> Bool = { _ in true },
        service: @escaping @Sendable (_ url: String, _ token: String?) throws -> Void = { _, _ in },
        heartbeat: @escaping @Sendable (_ url: String) throws -> Void = { _ in },
        text: @escaping @Sendable (_ title: String, _ body: String) throws -> Void = { _, _ in }
    ) {
        self.key = key
        self.database = database
        self.zone = zone
        self.service = service
        self.heartbeat = heartbeat
        self.text = text
    }
}
