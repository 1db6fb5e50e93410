import Policy
import TimeZones

/// A user's plan while it is built, nudge by nudge.
struct PlanDraft {
    /// The history for the next nudge's evaluation: it counts the nudges before it.
    var history: History
    /// The history to store: without the entries of the nudges that are sent now.
    var base: History
    var nudges: [PlannedNudge] = []
    /// What is left of nudges that are not sent now.
    var retries: [Retry] = []
    /// The earliest instant at which the answer for a waiting nudge can change. nil: none can change by itself.
    private(set) var dueAt: Instant?
    /// Whether more is waiting than was read.
    var isPartial = false
    var records: [DeliveryRecord] = []
    private(set) var ended: [NudgeIdentity] = []
    /// The next occurrences of reminders, for when they end.
    private(set) var continuations: [NudgeIdentity: ReminderContinuation] = [:]

    init(_ history: History) {
        self.history = history
        base = history
    }

    mutating func send(_ nudge: PlannedNudge, now: Instant) {
        nudges.append(nudge)
        if let countedAt = nudge.countedAt {
            if !nudge.isSilent { base = base.removing(nudge.identity, at: countedAt) }
        } else {
            history = history.adding(nudge, at: now)
        }
    }

    /// A nudge waits. `retry` is what is left of it.
    mutating func wait(until due: Instant?, retry: Retry? = nil) {
        if let retry { retries.append(retry) }
        if let due { dueAt = min(dueAt ?? due, due) }
    }

    /// A slot ended without counting.
    mutating func close(_ slot: LocalDate) {
        history = history.closing(slot)
        base = base.closing(slot)
    }

    /// When to evaluate what waits. If more waits than was read: now if something ended and made room, else within a
    /// minute.
    func nextLook(now: Instant) -> Instant? {
        guard isPartial else { return dueAt }
        return ended.isEmpty ? min(dueAt ?? now + Self.moreSeconds, now + Self.moreSeconds) : now
    }

    /// After this reminder ends, `next` follows.
    mutating func `continue`(_ identity: NudgeIdentity, with next: ReminderContinuation) {
        continuations[identity] = next
        wait(until: next.instant)
    }

    private static let moreSeconds: Int64 = 60

    /// Messages or reminders ended without a push.
    mutating func end(_ members: [NudgeIdentity]) { ended += members }
}
