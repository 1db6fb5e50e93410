import TimeZones

/// Decides which users are asked of the decision service now, which wait, and which have waited too long: urgent ones first, then who came first.
struct AskingLine<User> {
    /// Who waits.
    private struct Place {
        let user: User
        /// CLOCK_BOOTTIME milliseconds.
        let startBy: Int64
    }

    /// What is to be done with whom.
    enum Step {
        case ask(User)
        /// The lease won't last for an answer.
        case putOff(User)
    }

    /// Users for each that is asked at a time: seconds of work for a service that answers in tens of milliseconds.
    static var waitingForEach: Int { 64 }

    private var urgent: [Place] = []
    private var others: [Place] = []
    private var running = 0
    /// CLOCK_BOOTTIME milliseconds since when more come than wait may; nil: all that come.
    private(set) var crowdedSince: Int64?
    /// The last instant at which users who were put off come again.
    var asideUntil: Instant?

    init() {}

    /// Takes a user; false: as many wait as may. For urgent ones as much room again is kept.
    ///
    /// - Parameters:
    ///   - concurrency: users that are asked at a time.
    ///   - startBy: CLOCK_BOOTTIME milliseconds after which asking is not begun.
    mutating func add(_ user: User, isUrgent: Bool, startBy: Int64, concurrency: Int, now: Int64) -> Bool {
        let room = concurrency * Self.waitingForEach * (isUrgent ? 2 : 1)
        guard urgent.count + others.count < room else {
            crowdedSince = crowdedSince ?? now
            return false
        }
        if urgent.count + others.count < room / 2 { crowdedSince = nil }
        if isUrgent {
            urgent.append(Place(user: user, startBy: startBy))
        } else {
            others.append(Place(user: user, startBy: startBy))
        }
        return true
    }

    /// The next step; nil: nobody waits, or as many are being asked as may. Who is asked keeps a place until `end`.
    mutating func next(concurrency: Int, now: Int64) -> Step? {
        guard running < concurrency, let place = first() else { return nil }
        guard now < place.startBy else {
            crowdedSince = crowdedSince ?? now
            return .putOff(place.user)
        }
        running += 1
        return .ask(place.user)
    }

    /// Somebody's answers are in.
    mutating func end() { running -= 1 }

    /// Empties the line.
    mutating func leave() -> [User] {
        defer { (urgent, others) = ([], []) }
        return (urgent + others).map(\.user)
    }

    private mutating func first() -> Place? {
        if !urgent.isEmpty { return urgent.removeFirst() }
        return others.isEmpty ? nil : others.removeFirst()
    }
}
