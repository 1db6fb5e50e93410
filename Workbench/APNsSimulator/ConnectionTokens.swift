/// The provider tokens of one connection, and the rules that Apple applies per connection.
struct ConnectionTokens: Sendable {
    /// The `authorization` field that is in use.
    private var current: String?
    private var keyID: String?
    /// When it was first used on this connection. Apple counts a connection's first token as an update too.
    private var firstUsedAt: Int64 = 0

    /// Accepts a request with this field, or throws Apple's refusal.
    ///
    /// - Parameter token: the parsed field; nil if it is invalid.
    mutating func admit(
        _ authorization: String,
        _ token: PresentedToken?,
        now: Int64,
        settings: SimulatorSettings
    ) throws(RequestRefusal) {
        guard let token else { throw RequestRefusal(403, "InvalidProviderToken") }
        guard token.issuedAt > now - settings.tokenLifetime, token.issuedAt <= now + settings.tokenLeeway else {
            throw RequestRefusal(403, "ExpiredProviderToken")
        }
        if authorization == current { return }
        // One team's key per connection.
        if let keyID, keyID != token.keyID { throw RequestRefusal(403, "UnrelatedKeyIdInToken") }
        if current != nil, now - firstUsedAt < settings.tokenRenewal {
            throw RequestRefusal(429, "TooManyProviderTokenUpdates")
        }
        firstUsedAt = now
        current = authorization
        keyID = token.keyID
    }
}
