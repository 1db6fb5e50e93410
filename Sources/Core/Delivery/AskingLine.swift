/// Decides about which users the decision service is asked now, which wait, and which have waited too long. Urgent
/// users come first, then those who came first.
struct AskingLine<User> {
    /// `startBy`: CLOCK_BOOTTIME milliseconds.
    private typealias Place = (user: User, isUrgent: Bool, startBy: Int64)

    enum Step {
        case ask(User)
        /// The lease would end before an answer comes.
        case putOff(User)
    }

    /// How many users may wait for each question that may run. That is seconds of work if the service answers within
    /// tens of milliseconds.
    static var waitingForEach: Int { 64 }

    private var line: [Place] = []
    private var running = 0
    /// Full: more users come than may wait.
    var backlog = Backlog()

    /// Adds a user. False: the line is full. The line is twice as long for urgent users.
    ///
    /// - Parameters:
    ///   - startBy: CLOCK_BOOTTIME milliseconds. Later, the question is not sent any more.
    ///   - concurrency: how many users may be asked about at a time.
    mutating func add(_ user: User, isUrgent: Bool, startBy: Int64, concurrency: Int, now: Int64) -> Bool {
        let room = concurrency * Self.waitingForEach * (isUrgent ? 2 : 1)
        guard line.count < room else {
            backlog.note(isFull: true, now: now)
            return false
        }
        if line.count < room / 2 { backlog.note(isFull: false, now: now) }
        line.append((user, isUrgent, startBy))
        return true
    }

    /// The next step. nil: nobody waits, or as many questions run as may. Each `.ask` occupies a place until `end`.
    mutating func next(concurrency: Int, now: Int64) -> Step? {
        guard running < concurrency, !line.isEmpty else { return nil }
        let place = line.remove(at: line.firstIndex { $0.isUrgent } ?? 0)
        guard now < place.startBy else {
            backlog.note(isFull: true, now: now)
            return .putOff(place.user)
        }
        running += 1
        return .ask(place.user)
    }

    mutating func end() { running -= 1 }

    mutating func leave() -> [User] {
        defer { line = [] }
        return line.map(\.user)
    }
}
