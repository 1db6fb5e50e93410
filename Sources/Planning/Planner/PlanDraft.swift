import Policy
import Store
import TimeZones

/// A user's plan while it is made, nudge by nudge.
struct PlanDraft {
    /// What the next nudge is asked with: each counts those before it.
    private(set) var history: History
    /// What the row holds already, without the own entries of the nudges that go out.
    private(set) var base: History
    private(set) var nudges: [PlannedNudge] = []
    /// What is left of nudges that do not go out now.
    private(set) var retries: [Retry] = []
    /// The earliest instant at which the answer for something that waits can change; nil: nothing waits that could.
    private(set) var dueAt: Instant?
    /// Whether there is more than was read.
    var isPartial = false
    var records: [DeliveryRecord] = []
    private(set) var ended: [NudgeIdentity] = []
    /// What comes after reminders, once they end.
    private(set) var continuations: [NudgeIdentity: ReminderContinuation] = [:]

    init(_ history: History) {
        self.history = history
        base = history
    }

    /// Goes out now.
    mutating func send(_ nudge: PlannedNudge, now: Instant) {
        nudges.append(nudge)
        if let countedAt = nudge.countedAt {
            base = base.removing(nudge.identity, at: countedAt)
        } else {
            history = history.adding(nudge.identity, at: now)
        }
    }

    /// Waits, with what is remembered of it.
    mutating func wait(until due: Instant?, retry: Retry? = nil) {
        if let retry { retries.append(retry) }
        if let due { dueAt = min(dueAt ?? due, due) }
    }

    /// A slot ended without counting.
    mutating func close(_ slot: LocalDate) {
        history = history.closing(slot)
        base = base.closing(slot)
    }

    /// When to ask again about what waits. Where more waits than was read: at once if these made room, else in a while.
    func nextLook(now: Instant) -> Instant? {
        guard isPartial else { return dueAt }
        return ended.isEmpty ? min(dueAt ?? now + Self.moreSeconds, now + Self.moreSeconds) : now
    }

    /// This comes after a reminder of which the hour came, once that ends.
    mutating func `continue`(_ identity: NudgeIdentity, with next: ReminderContinuation) {
        continuations[identity] = next
        wait(until: next.instant)
    }

    /// What comes after those that ended.
    var continued: [ReminderContinuation] { ended.compactMap { continuations[$0] } }

    private static let moreSeconds: Int64 = 60

    /// A message or a reminder ended without a push.
    mutating func end(_ members: [NudgeIdentity]) { ended += members }
}
