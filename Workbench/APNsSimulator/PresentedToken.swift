import FoundationEssentials
import JSON
import Certificates

/// A provider token with a valid signature.
struct PresentedToken: Sendable, Equatable {
    typealias Keys = [String: (teamID: String, key: P256VerifyingKey)]

    let keyID: String
    /// Seconds since 1970.
    let issuedAt: Int64

    static func keys(_ settings: SimulatorSettings) throws -> Keys {
        try settings.keys.reduce(into: [:]) { $0[$1.keyID] = ($1.teamID, try P256VerifyingKey(pem: $1.pem)) }
    }

    /// Parses `bearer <JWT>`. Nil if anything but its age is wrong (RFC 7515 section 5.2, RFC 7518 section 3.4).
    init?(authorization: String, keys: Keys) {
        guard let text = Self.bearer(authorization) else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let signature = Self.bytes(parts[2]), header["alg"] == .string("ES256"),
            case .string(let keyID)? = header["kid"],
            let (teamID, key) = keys[keyID], claims["iss"] == .string(teamID), case .int(let issuedAt)? = claims["iat"],
            key.isValid(signature, for: Array("\(parts[0]).\(parts[1])".utf8))
        else { return nil }
        self.keyID = keyID
        self.issuedAt = issuedAt
    }

    /// The scheme's name is case-insensitive (RFC 9110 section 11.1).
    static func bearer(_ authorization: String) -> Substring? {
        guard authorization.prefix(7).lowercased() == "bearer " else { return nil }
        let text = authorization.dropFirst(7)
        return text.isEmpty ? nil : text
    }

    private static func object(_ part: Substring) -> JSONValue? { bytes(part).flatMap { try? JSONValue(parsing: $0) } }

    /// base64url without padding (RFC 7515 section 2).
    private static func bytes(_ text: Substring) -> [UInt8]? {
        if text.contains(where: "+/=".contains) { return nil }
        let standard = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: standard + padding).map { Array($0) }
    }
}

/// The provider tokens of one connection, and the rules that Apple applies per connection.
struct ConnectionTokens: Sendable {
    /// How long a provider token is valid, and the shortest time between two new ones on a connection, in seconds.
    private static let (lifetime, renewal): (Int64, Int64) = (3_600, 1_200)

    private var current: String?
    private var keyID: String?
    /// When it was first used on this connection. Apple counts a connection's first token as an update too.
    private var firstUsedAt: Int64 = 0

    /// Takes a request with this field, or throws Apple's refusal. `token` is the parsed field; nil if it is invalid.
    mutating func admit(_ field: String, _ token: PresentedToken?, now: Int64, leeway: Int64) throws(RequestRefusal) {
        guard let token else { throw RequestRefusal(403, "InvalidProviderToken") }
        guard token.issuedAt > now - Self.lifetime, token.issuedAt <= now + leeway else {
            throw RequestRefusal(403, "ExpiredProviderToken")
        }
        if field == current { return }
        // One team's key per connection.
        if let keyID, keyID != token.keyID { throw RequestRefusal(403, "UnrelatedKeyIdInToken") }
        if current != nil, now - firstUsedAt < Self.renewal { throw RequestRefusal(429, "TooManyProviderTokenUpdates") }
        (firstUsedAt, current, keyID) = (now, field, token.keyID)
    }
}
