import NudgedPreferences
import TimeZones

/// The caps of a user. Each is the smaller one of the rule and the preference.
struct Caps {
    let perHour: Int64?
    let perDay: Int64?

    init(_ rules: Rules, _ preferences: Preferences) {
        perHour = Self.smaller(rules.maxPerHour, preferences.maxPerHour)
        perDay = Self.smaller(rules.maxPerDay, preferences.maxPerDay)
    }

    private static func smaller(_ left: Int64?, _ right: Int64?) -> Int64? {
        guard let left else { return right }
        return right.map { min(left, $0) } ?? left
    }

    /// The earliest instant from `now` on at which both caps allow one more send.
    func free(from now: Instant, _ sent: [Instant]) -> Instant {
        max(
            Self.free(from: now, sent, limit: perHour, window: 3600),
            Self.free(from: now, sent, limit: perDay, window: 86_400)
        )
    }

    private static func free(from now: Instant, _ sent: [Instant], limit: Int64?, window: Int64) -> Instant {
        guard let limit, limit <= sent.count else { return now }
        guard count(sent, window: window, now: now) >= limit else { return now }
        // A send is allowed at t exactly if the n-th latest send is not after t - w.
        let horizon = now + History.horizon
        let latest = sent.filter { $0 > now - window && $0 <= horizon }.sorted(by: >)
        return latest[Int(limit) - 1] + window
    }

    /// Sends in the window that ends at `now`. Sends in the future count, except those more than 48 h ahead.
    static func count(_ sent: [Instant], window: Int64, now: Instant) -> Int {
        let (start, horizon) = (now - window, now + History.horizon)
        var count = 0
        for instant in sent where instant > start && instant <= horizon { count += 1 }
        return count
    }
}
