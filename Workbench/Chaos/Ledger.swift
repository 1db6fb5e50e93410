public import APNs

/// Compares the simulator's log and the sender's outcomes, push by push.
///
/// It remembers the last 524,288 pushes, in memory that is allocated at once. A push is forgotten when its place is
/// needed again, and must have an outcome by then.
public struct Ledger: Sendable {
    private struct Entry {
        /// 0: none.
        var number: UInt64 = 0
        var status: UInt16 = 0
        var asked: UInt8 = 0
        var logged: UInt8 = 0
        var ending = Ending.open
    }

    /// How many pushes are remembered.
    public static let span = 1 << 19

    private var entries: [Entry]
    /// The last number that was sent. Numbers start at 1.
    public private(set) var sent: UInt64 = 0
    /// How many pushes ended in each way, by `Ending`.
    public private(set) var endings = [Int](repeating: 0, count: Ending.allCases.count)
    /// How often each promise was broken.
    public private(set) var violations: [Violation: Int] = [:]
    /// The first pushes of each violation, 20 at most.
    public private(set) var examples: [Violation: [UInt64]] = [:]
    /// Pushes that the simulator accepted.
    public private(set) var logged = 0

    /// Starts without pushes.
    ///
    /// - Parameter span: how many pushes are remembered. Only tests use less than the default.
    public init(span: Int = Ledger.span) {
        entries = [Entry](repeating: Entry(), count: span)
    }

    /// Returns the next number, before the push is handed to the sender.
    public mutating func send() -> UInt64 {
        sent += 1
        let place = place(sent)
        forget(place)
        entries[place] = Entry(number: sent)
        return sent
    }

    /// The simulator got a valid request for the push. Returns how often it got one before.
    public mutating func asked(_ number: UInt64) -> UInt8 {
        guard let place = find(number) else {
            note(.stranger, number)
            return 0
        }
        defer { entries[place].asked = min(entries[place].asked + 1, 100) }
        return entries[place].asked
    }

    /// The status that the simulator is about to answer; 0 for none.
    public mutating func answers(_ number: UInt64, status: Int) {
        if let place = find(number) { entries[place].status = UInt16(clamping: status) }
    }

    /// The simulator accepted the push.
    public mutating func log(_ number: UInt64) {
        logged += 1
        guard let place = find(number) else { return note(.stranger, number) }
        entries[place].logged += 1
        if entries[place].logged > 1 { note(.loggedTwice, number) }
        switch entries[place].ending {
        case .open, .accepted, .unknown: break
        case .refused, .delayed, .unsent: note(.loggedNotAccepted, number)
        }
    }

    /// The sender's result.
    public mutating func end(_ number: UInt64, _ outcome: PushOutcome) {
        guard let place = find(number), entries[place].ending == .open else { return note(.resultTwice, number) }
        let ending = Ending(outcome)
        let entry = entries[place]
        entries[place].ending = ending
        endings[Int(ending.rawValue)] += 1
        if let status = outcome.answeredStatus, status != Int(entry.status) { note(.wrongStatus, number) }
        switch ending {
        case .accepted: if entry.logged == 0 { note(.acceptedNotLogged, number) }
        case .refused, .delayed, .unsent: if entry.logged > 0 { note(.loggedNotAccepted, number) }
        case .open, .unknown: break
        }
    }

    /// Called when no more outcomes can come. Pushes without one are lost.
    public mutating func close() {
        for place in entries.indices { forget(place) }
    }

    /// Counts a violation; `number` is the push, or 0 if it is about none.
    public mutating func note(_ violation: Violation, _ number: UInt64) {
        violations[violation, default: 0] += 1
        if examples[violation, default: []].count < 20 { examples[violation, default: []].append(number) }
    }

    private mutating func forget(_ place: Int) {
        if entries[place].number != 0, entries[place].ending == .open { note(.lost, entries[place].number) }
        entries[place] = Entry()
    }

    private func place(_ number: UInt64) -> Int { Int(number % UInt64(entries.count)) }

    private func find(_ number: UInt64) -> Int? {
        let place = place(number)
        return number != 0 && entries[place].number == number ? place : nil
    }
}
