/// What one connection has seen of provider tokens: the rules that count per connection.
struct ConnectionTokens: Sendable {
    /// The `authorization` field in force here.
    private var current: String?
    private var keyID: String?
    /// When it was first used here: Apple counts a connection's first token as a new one too.
    private var firstUsedAt: Int64 = 0

    /// Whether a request with this field may pass, and the state after it.
    ///
    /// - Parameter token: what the field holds, nil where it is wrong.
    mutating func admit(
        _ authorization: String,
        _ token: ProviderToken?,
        now: Int64,
        settings: SimulatorSettings
    ) throws(Refusal) {
        guard let token else { throw Refusal(403, "InvalidProviderToken") }
        guard token.issuedAt > now - settings.tokenLifetime, token.issuedAt <= now + settings.tokenLeeway else {
            throw Refusal(403, "ExpiredProviderToken")
        }
        if authorization == current { return }
        // One team's key per connection.
        if let keyID, keyID != token.keyID { throw Refusal(403, "UnrelatedKeyIdInToken") }
        if current != nil, now - firstUsedAt < settings.tokenRenewal {
            throw Refusal(429, "TooManyProviderTokenUpdates")
        }
        firstUsedAt = now
        current = authorization
        keyID = token.keyID
    }
}
