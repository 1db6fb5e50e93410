package import TimeZones

/// When the decision service was last asked about a user: at most `max_analyses_per_hour` times in any 3,600 s.
///
/// The user's row holds it, so it is valid across daemons and restarts. The owner of the user's range writes it before
/// each question.
package struct AnalysisBudget: Sendable, Equatable {
    /// Seconds.
    static let span: Int64 = 3_600
    /// The largest limit that a user can set. No more instants need to be kept.
    static let most = 20

    /// In ascending order, at most `most`.
    package private(set) var asked: [Instant]

    /// From the row's instants, in any order. Instants an hour or more away from `now` are dropped, also those ahead:
    /// then a clock was wrong.
    package init(_ instants: [Instant], now: Instant) {
        asked = Array(instants.filter { Self.counts($0, now) }.sorted().suffix(Self.most))
    }

    /// Whether the limit allows one more question now.
    package func allows(_ limit: Int, now: Instant) -> Bool {
        asked.count { Self.counts($0, now) } < min(limit, Self.most)
    }

    /// Counts one more question now.
    package mutating func spend(now: Instant) {
        self = AnalysisBudget(asked + [now], now: now)
    }

    private static func counts(_ instant: Instant, _ now: Instant) -> Bool {
        instant > now - span && instant < now + span
    }
}
