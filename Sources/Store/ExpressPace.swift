/// When claims look for users of urgent messages, who go before everyone (drain.sql makes them due since 1970): nearly each time, since it is one probe a
/// range; but where dead rows lie there (a long transaction elsewhere), a fifth of the time at most. A value: it is told the time.
struct ExpressPace: Sendable {
    /// Whoever is due before this instant goes first: microseconds since 1970, a day.
    static let horizon: Int64 = 86_400_000_000

    private var nextAt: Int64 = .min

    /// - Parameter milliseconds: of a clock that only goes forward.
    func isDue(at milliseconds: Int64) -> Bool { milliseconds >= nextAt }

    /// Takes in that a look was asked and answered at these instants.
    mutating func took(asked: Int64, answered: Int64) {
        nextAt = answered + Self.rest * max(0, answered - asked - Self.usualMilliseconds)
    }

    private static let rest: Int64 = 4
    /// What a look costs on a loaded machine: no reason to look less.
    private static let usualMilliseconds: Int64 = 5
}
