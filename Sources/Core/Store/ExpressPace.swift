/// When claims look for users of urgent messages. `Query.drain` makes these users due since 1970, so that a claim finds
/// them first. A look is one index probe per range, so nearly every claim does it. If dead rows make it slow (a long
/// transaction elsewhere), looks take at most a fifth of the time. A value: the caller passes the time.
struct ExpressPace: Sendable {
    /// Users who are due before this instant go first: microseconds since 1970, one day.
    static let horizon: Int64 = 86_400_000_000

    private var nextAt: Int64 = .min

    /// - Parameter milliseconds: of a clock that only goes forward.
    func isDue(at milliseconds: Int64) -> Bool { milliseconds >= nextAt }

    /// Takes the begin and the end of a look.
    mutating func took(asked: Int64, answered: Int64) {
        nextAt = answered + Self.rest * max(0, answered - asked - Self.usualMilliseconds)
    }

    private static let rest: Int64 = 4
    /// A usual look on a loaded machine. It is no reason to look less often.
    private static let usualMilliseconds: Int64 = 5
}
