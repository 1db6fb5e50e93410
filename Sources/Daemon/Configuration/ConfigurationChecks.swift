/// What only other modules can judge. Each throws with words that hold no secret; `description` of the error is shown.
public struct ConfigurationChecks: Sendable {
    /// Whether a PEM text is a P-256 key (OpenSSL).
    public var key: @Sendable (String) throws -> Void
    /// Whether a libpq URI is good, and safe enough unless insecurity is allowed (Postgres).
    public var database: @Sendable (_ url: String, _ allowInsecure: Bool) throws -> Void
    /// Whether the system knows this zone (TimeZones).
    public var zone: @Sendable (String) -> Bool

    /// Checks that let everything pass, unless given.
    public init(
        key: @escaping @Sendable (String) throws -> Void = { _ in },
        database: @escaping @Sendable (_ url: String, _ allowInsecure: Bool) throws -> Void = { _, _ in },
        zone: @escaping @Sendable (String) -> Bool = { _ in true }
    ) {
        self.key = key
        self.database = database
        self.zone = zone
    }
}
