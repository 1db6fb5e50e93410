/// Decides when a key's provider token is made anew, and which one a connection may use.
///
/// Two rules of Apple's pull at each other. A token must not be older than an hour; and a connection that shows more
/// than one new token in 20 minutes is told TooManyProviderTokenUpdates, the 20 minutes running from a token's first
/// use there. So the token is shared by all connections of the key and made anew at about 35 minutes, while each
/// connection keeps what it has until 20 minutes after it first used it: one first used just under 35 minutes is let go
/// just under 55.
///
/// Age is measured on `now` (CLOCK_BOOTTIME, which never steps); `iat` is the wall clock's. Where the two drift apart,
/// the wall clock was stepped, and the `iat` of the token may be wrong by now: it is made anew, for connections that
/// may change theirs. All instants and spans are milliseconds.
public struct ProviderTokenSchedule: Sendable {
    /// From this age on a new token is made when one is asked for. Half a minute under 35, so that `hold` fits below
    /// `mostAge`.
    public static let refreshAge: Int64 = 2_070_000
    /// The age from which on a token is not shown any more: 55 minutes.
    public static let mostAge: Int64 = 3_300_000
    /// How long a connection keeps a token: 20 minutes, and 15 s because what counts is when Apple saw them.
    public static let hold: Int64 = 1_215_000
    /// How long nothing is made after TooManyProviderTokenUpdates.
    public static let embargo: Int64 = 1_200_000
    /// The drift between the clocks from which on the wall clock counts as stepped. Slewing stays far below.
    public static let step: Int64 = 60_000

    /// One token's dates. `number` tells tokens apart; a later token has a higher one.
    public struct Minted: Sendable, Equatable {
        /// From 1.
        public let number: Int
        /// On CLOCK_BOOTTIME.
        public let mintedAt: Int64
        /// On the wall clock, since 1970.
        public let wall: Int64

        /// The claim `iat`: Unix seconds.
        public var issuedAt: Int64 { wall / 1_000 }
    }

    /// What a connection shows, and since when.
    public struct Use: Sendable, Equatable {
        /// The token.
        public let token: Minted
        /// When this connection first showed it, on CLOCK_BOOTTIME.
        public let since: Int64
    }

    /// The answer to a connection that wants to send.
    public enum Verdict: Sendable, Equatable {
        /// Show this token.
        case show(Minted)
        /// This connection may neither show its token any longer nor change it yet: use another connection.
        case replaceConnection
        /// No token, and none may be made until then.
        case wait(until: Int64)
    }

    /// The newest token; nil before the first, or where Apple called it expired.
    public private(set) var current: Minted?
    /// The number of the last token.
    public private(set) var lastNumber: Int
    private var embargoUntil: Int64 = .min

    /// A key without a token yet.
    ///
    /// - Parameter last: The last number of another key's schedule that this one follows: a late answer to a push with
    ///   the old key's token then cannot be taken for one to a token of this key.
    public init(after last: Int = 0) {
        lastNumber = last
    }

    /// Which token a connection shows now.
    ///
    /// - Parameters:
    ///   - use: What the connection showed last; updated.
    ///   - now: CLOCK_BOOTTIME.
    ///   - wall: The wall clock, since 1970.
    public mutating func token(for use: inout Use?, now: Int64, wall: Int64) -> Verdict {
        if let held = use {
            if held.token == current, isFresh(held.token, now: now, wall: wall) { return .show(held.token) }
            if now - held.since < Self.hold {
                // Too early to change. An expired token (by Apple's word) was taken from its connection already.
                return isValid(held.token, now: now) ? .show(held.token) : .replaceConnection
            }
        }
        guard let token = newest(now: now, wall: wall) else {
            // Within an embargo a token that is still valid beats none.
            if let held = use, isValid(held.token, now: now) { return .show(held.token) }
            return .wait(until: embargoUntil)
        }
        if use?.token != token { use = Use(token: token, since: now) }
        return .show(token)
    }

    /// Apple said ExpiredProviderToken to a push with this token: no connection takes it up any more.
    public mutating func expire(_ number: Int) {
        if current?.number == number { current = nil }
    }

    /// Apple said TooManyProviderTokenUpdates: nothing is made for 20 minutes.
    public mutating func forbidMinting(now: Int64) {
        embargoUntil = max(embargoUntil, now + Self.embargo)
    }

    /// The shared token, made anew where it is due and allowed.
    private mutating func newest(now: Int64, wall: Int64) -> Minted? {
        if let current, isFresh(current, now: now, wall: wall) { return current }
        guard now >= embargoUntil else {
            return current.flatMap { isValid($0, now: now) ? $0 : nil }
        }
        lastNumber += 1
        let token = Minted(number: lastNumber, mintedAt: now, wall: wall)
        current = token
        return token
    }

    private func isFresh(_ token: Minted, now: Int64, wall: Int64) -> Bool {
        let drift = (wall - token.wall) - (now - token.mintedAt)
        return now - token.mintedAt < Self.refreshAge && abs(drift) < Self.step
    }

    private func isValid(_ token: Minted, now: Int64) -> Bool {
        now - token.mintedAt < Self.mostAge
    }
}
