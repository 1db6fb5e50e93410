import Seeded

/// A seeded population. Most users are due now; the others must not get a push, for various reasons.
///
/// The same seed at the same instant gives the same people. No slot, limit or quiet hours of theirs begin or end in the
/// next half hour, except the default quiet hours. So a run of minutes has one right answer for nearly everyone.
struct Population: Sendable {
    let people: [FaultRecipient]
    let devices: [String: Addressee]
    let owners: [String: FaultRecipient]

    /// Makes `count` random people, at least one. `now`: seconds since 1970.
    init(_ count: Int, seed: UInt64, now: Int64) {
        var draw = PeopleDraw(seed: seed, now: now)
        people = (1...max(1, count)).map { draw.person($0) }
        devices = Dictionary(people.flatMap(\.devices).map { ($0.token, $0) }, uniquingKeysWith: { first, _ in first })
        owners = Self.owners(people)
    }

    static func owners(_ people: [FaultRecipient]) -> [String: FaultRecipient] {
        let all = people.flatMap { person in person.devices.map { ($0.token, person) } }
        return Dictionary(all, uniquingKeysWith: { first, _ in first })
    }
}

/// One user as in the app's tables, and what was sent to them before the run.
struct FaultRecipient: Sendable, Equatable {
    typealias Quiet = Night

    struct Past: Sendable, Equatable {
        /// Seconds since 1970.
        var at: Int64
        /// Its local date, `YYYY-MM-DD`.
        var slot: String
    }

    var id: String
    /// `notification_preferences` as JSON text; nil for NULL.
    var preferences: String?
    var timezone: String?
    var firstSession = true
    var devices: [Addressee] = []
    /// Sends before the run that count for limits, including check-ins: seconds since 1970.
    var sent: [Int64] = []
    var checkIns: [Past] = []

    // What the preferences mean. We know it because we made them, so nothing here parses JSON.

    /// The zone that applies; nil if there is none.
    var zone: String?
    var quiet: Quiet?
    /// The most nudges in 3,600 s.
    var maxPerHour: Int?
    /// The most nudges in 86,400 s.
    var maxPerDay: Int?

    var served: [Addressee] { devices.filter { $0.platform == "ios" } }
    var since: Int64? { served.map(\.registeredAt).min() }
}

/// One row of `push_tokens`, and Apple's answer to its pushes.
struct Addressee: Sendable, Equatable {
    enum Answer: Sendable, Equatable {
        case accepted
        /// 410 with this instant (seconds since 1970). The token may be deleted only if it registered before.
        case gone(since: Int64)
    }

    var token: String
    /// Seconds since 1970.
    var registeredAt: Int64
    /// `ios`, or a platform that nudged ignores.
    var platform = "ios"
    var answer = Answer.accepted

    /// Whether Apple's answer lets the daemon delete the token.
    var mayBeDeleted: Bool { if case .gone(let since) = answer { since > registeredAt } else { false } }
}
