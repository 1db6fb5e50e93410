package import TimeZones

/// When a user's nudges were last asked of the decision service: never more than `max_analyses_per_hour` in any 3,600
/// s.
///
/// It lives in the user's row, so it holds across daemons and restarts: whoever holds the lease writes it before
/// asking.
package struct AnalysisBudget: Sendable, Equatable {
    /// Seconds.
    static let span: Int64 = 3_600
    /// The largest limit that a user can set, so more need not be remembered.
    static let most = 20

    /// In their order, at most `most`.
    package private(set) var asked: [Instant]

    /// What the row holds, in any order. What is an hour away from now, behind or (a clock was wrong) ahead, says
    /// nothing any more.
    package init(_ instants: [Instant], now: Instant) {
        asked = Array(instants.filter { Self.counts($0, now) }.sorted().suffix(Self.most))
    }

    /// Whether one more is in the limit.
    package func allows(_ limit: Int, now: Instant) -> Bool {
        asked.count { Self.counts($0, now) } < min(limit, Self.most)
    }

    /// One more is asked now.
    package mutating func spend(now: Instant) {
        self = AnalysisBudget(asked + [now], now: now)
    }

    private static func counts(_ instant: Instant, _ now: Instant) -> Bool {
        instant > now - span && instant < now + span
    }
}
