import APNs

/// Compares the simulator's log and the sender's outcomes, push by push.
///
/// It remembers the last 524,288 pushes, in memory that is allocated at once. A push is forgotten when its place is
/// needed again, and must have an outcome by then.
package struct Ledger: Sendable {
    private struct Entry {
        var number: UInt64 = 0
        var status: UInt16 = 0
        var asked: UInt8 = 0
        var logged: UInt8 = 0
        var ending = Ending.open
    }

    private var entries: [Entry]
    /// The last number that was sent. Numbers start at 1.
    package private(set) var sent: UInt64 = 0
    private(set) var endings: [Ending: Int] = [:]
    package private(set) var violations: [Violation: Int] = [:]
    package private(set) var examples: [Violation: [UInt64]] = [:]
    package private(set) var logged = 0

    /// Only tests remember fewer pushes than the default.
    init(span: Int = 1 << 19) { entries = [Entry](repeating: Entry(), count: span) }

    /// Returns the next number, before the push is handed to the sender.
    mutating func send() -> UInt64 {
        sent += 1
        let place = place(sent)
        forget(place)
        entries[place] = Entry(number: sent)
        return sent
    }

    /// The simulator got a valid request for the push. Returns how often it got one before.
    mutating func asked(_ number: UInt64) -> UInt8 {
        guard let place = find(number) else {
            note(.stranger, number)
            return 0
        }
        defer { entries[place].asked = min(entries[place].asked + 1, 100) }
        return entries[place].asked
    }

    /// The status that the simulator is about to answer; 0 for none.
    mutating func answers(_ number: UInt64, status: Int) {
        if let place = find(number) { entries[place].status = UInt16(clamping: status) }
    }

    mutating func log(_ number: UInt64) {
        logged += 1
        guard let place = find(number) else { return note(.stranger, number) }
        entries[place].logged += 1
        if entries[place].logged > 1 { note(.loggedTwice, number) }
        switch entries[place].ending {
        case .open, .accepted, .unknown: break
        case .refused, .delayed, .unsent: note(.loggedNotAccepted, number)
        }
    }

    mutating func end(_ number: UInt64, _ outcome: PushOutcome) {
        guard let place = find(number), entries[place].ending == .open else { return note(.resultTwice, number) }
        let ending = Ending(outcome)
        let entry = entries[place]
        entries[place].ending = ending
        endings[ending, default: 0] += 1
        if let status = outcome.answeredStatus, status != Int(entry.status) { note(.wrongStatus, number) }
        switch ending {
        case .accepted: if entry.logged == 0 { note(.acceptedNotLogged, number) }
        case .refused, .delayed, .unsent: if entry.logged > 0 { note(.loggedNotAccepted, number) }
        case .open, .unknown: break
        }
    }

    /// Called when no more outcomes can come. Pushes without one are lost.
    mutating func close() { for place in entries.indices { forget(place) } }

    /// Counts a violation; `number` is the push, or 0 if it is about none.
    mutating func note(_ violation: Violation, _ number: UInt64) {
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

package enum Violation: String, Sendable, CaseIterable {
    case lost
    /// A push has two outcomes, or an outcome without having been sent.
    case resultTwice = "result_twice"
    /// The sender says that Apple accepted it, but Apple's log does not have it.
    case acceptedNotLogged = "accepted_not_logged"
    /// Apple's log has it, but the outcome is neither accepted nor unknown.
    case loggedNotAccepted = "logged_not_accepted"
    case loggedTwice = "logged_twice"
    /// The outcome's status differs from Apple's last answer to this push.
    case wrongStatus = "wrong_status"
    case stranger, growth, hung
}

/// An outcome as the comparison needs it.
package enum Ending: Sendable, CaseIterable {
    case open, accepted, refused, delayed, unsent, unknown

    init(_ outcome: PushOutcome) {
        switch outcome {
        case .accepted: self = .accepted
        case .rejected, .suspect: self = .refused
        case .delayed: self = .delayed
        case .unsent: self = .unsent
        case .unknown: self = .unknown
        }
    }
}

extension PushOutcome {
    /// The status that Apple answered by this outcome; nil if it names none.
    var answeredStatus: Int? {
        switch self {
        case .accepted: 200
        case .rejected(let status, _, _): status
        case .suspect(let status, _): status
        case .delayed(_, let status, _): status
        case .unsent, .unknown: nil
        }
    }
}
