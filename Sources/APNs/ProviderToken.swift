internal import FoundationEssentials

extension SenderConfiguration {
    /// A provider token: a JSON Web Token (RFC 7519) signed with ES256, as Apple demands. It is a secret for an hour:
    /// never log it. `issuedAt`: The claim `iat`, Unix seconds of the wall clock.
    func providerToken(issuedAt: Int64) throws(APNsError) -> String {
        var header = Array("{\"alg\":\"ES256\",\"kid\":".utf8)
        JSONText.append(keyID, to: &header)
        header.append(UInt8(ascii: "}"))
        var claims = Array("{\"iss\":".utf8)
        JSONText.append(teamID, to: &claims)
        claims.append(contentsOf: ",\"iat\":\(issuedAt)}".utf8)
        let signed = Self.base64URL(header) + "." + Self.base64URL(claims)
        do {
            return signed + "." + Self.base64URL(try signingKey.signature(for: Array(signed.utf8)))
        } catch {
            throw .unsignedToken(cause: error.description)
        }
    }

    /// Base 64 for URLs, without padding (RFC 4648 section 5, RFC 7515 section 2).
    static func base64URL(_ bytes: [UInt8]) -> String {
        let padded = Data(bytes).base64EncodedString()
        return String(padded.prefix { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }
}

/// Decides when a new provider token is signed, and which one a connection may use.
///
/// Apple has two rules. A token must not be older than an hour. A connection that uses more than one new token in 20
/// minutes gets TooManyProviderTokenUpdates; the 20 minutes start at a token's first use there.
///
/// So all connections of a lane share a token, and a new one is signed at about 35 minutes. Each connection keeps its
/// token for 20 minutes after its first use there. A token that a connection first uses just before 35 minutes is
/// replaced just before 55.
///
/// Age is measured with `now` (CLOCK_BOOTTIME, which never steps). `iat` comes from the wall clock. If the two clocks
/// drift apart, the wall clock was stepped and the token's `iat` may be wrong. Then a new token is signed for
/// connections that may change theirs. All instants and spans are milliseconds.
package struct ProviderTokenSchedule: Sendable {
    /// The age from which a request signs a new token: so much below 35 minutes that `refreshAge + hold` < `mostAge`.
    package static let refreshAge: Int64 = 2_070_000
    /// The age from which a token is not used any more: 55 minutes.
    package static let mostAge: Int64 = 3_300_000
    /// How long a connection keeps a token: 20 minutes, plus 15 s because Apple's clock counts.
    package static let hold: Int64 = 1_215_000
    /// How long no token is signed after TooManyProviderTokenUpdates.
    package static let embargo: Int64 = 1_200_000
    /// From this drift between the clocks on, the wall clock counts as stepped. Slewing stays far below.
    package static let step: Int64 = 60_000

    /// One token's dates. A later token has a higher `number`.
    package struct Minted: Sendable, Equatable {
        /// Starts at 1.
        package let number: Int
        /// Milliseconds of CLOCK_BOOTTIME.
        package let mintedAt: Int64
        /// The wall clock in milliseconds since 1970.
        package let wall: Int64

        /// The claim `iat` in Unix seconds.
        package var issuedAt: Int64 { wall / 1_000 }
    }

    /// The token that a connection uses, and since when.
    package struct Use: Sendable, Equatable {
        package let token: Minted
        /// When this connection first used it, in milliseconds of CLOCK_BOOTTIME.
        package let since: Int64
    }

    /// The answer to a connection that is about to send.
    package enum Outcome: Sendable, Equatable {
        case show(Minted)
        /// This connection may neither use its token any longer nor change it yet. Use another connection.
        case replaceConnection
        /// There is no valid token, and none may be signed until then.
        case wait(until: Int64)
    }

    /// The newest token. Nil before the first one, and after Apple called it expired.
    package private(set) var current: Minted?
    package private(set) var lastNumber: Int
    private var embargoUntil: Int64 = .min

    /// A schedule without a token. `last`: The last number of the schedule that this one replaces. A late answer to a
    /// push with an old token then never matches a token of this schedule.
    package init(after last: Int = 0) { lastNumber = last }

    /// Decides which token a connection uses now.
    package mutating func token(for use: inout Use?, now: Int64, wall: Int64) -> Outcome {
        if let held = use {
            if held.token == current, isFresh(held.token, now: now, wall: wall) { return .show(held.token) }
            if now - held.since < Self.hold {
                // Too early to change. If Apple called the token expired, its connection was retired already.
                return isValid(held.token, now: now) ? .show(held.token) : .replaceConnection
            }
        }
        guard let token = newest(now: now, wall: wall) else {
            // During an embargo an older valid token is better than none.
            if let held = use, isValid(held.token, now: now) { return .show(held.token) }
            return .wait(until: embargoUntil)
        }
        if use?.token != token { use = Use(token: token, since: now) }
        return .show(token)
    }

    /// Apple answered ExpiredProviderToken to a push with this token: no further connection starts to use it.
    package mutating func expire(_ number: Int) { if current?.number == number { current = nil } }

    /// Apple answered TooManyProviderTokenUpdates: no token is signed for 20 minutes.
    package mutating func forbidMinting(now: Int64) { embargoUntil = max(embargoUntil, now + Self.embargo) }

    /// The shared token. Signs a new one if that is due and allowed.
    private mutating func newest(now: Int64, wall: Int64) -> Minted? {
        if let current, isFresh(current, now: now, wall: wall) { return current }
        guard now >= embargoUntil else { return current.flatMap { isValid($0, now: now) ? $0 : nil } }
        lastNumber += 1
        let token = Minted(number: lastNumber, mintedAt: now, wall: wall)
        current = token
        return token
    }

    private func isFresh(_ token: Minted, now: Int64, wall: Int64) -> Bool {
        let drift = (wall - token.wall) - (now - token.mintedAt)
        return now - token.mintedAt < Self.refreshAge && abs(drift) < Self.step
    }

    private func isValid(_ token: Minted, now: Int64) -> Bool { now - token.mintedAt < Self.mostAge }
}
