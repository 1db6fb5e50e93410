package import Policy
package import Store
package import TimeZones

/// What a claimed user's turn comes to: a value, which the sweep carries out.
package struct Judgement: Sendable {
    package enum Verdict: Sendable {
        /// Nothing is sent.
        case rest(Rest)
        /// The nudges go out, once their intent is committed.
        case send(PlannedTurn)
        /// Nothing was decided, since the user's zone could not be read now: they are asked again, the row stays as it is.
        case ask(TimeZoneError)
    }

    /// The row says when to ask again.
    package struct Rest: Sendable {
        package let update: PersonUpdate
        /// Why no check-in goes now.
        package let reason: Reason
        /// Slots and devices that went by unsent, messages that were dropped.
        package let records: [DeliveryRecord]
        /// Messages and reminders that ended.
        package let ended: [NudgeIdentity]
        /// What comes after those reminders.
        package let continued: [ReminderContinuation]
    }

    package let verdict: Verdict
    /// What an operator should hear, once per value.
    package let notices: [Notice]

    /// What the decision found to record, whatever becomes of a push.
    package var records: [DeliveryRecord] {
        switch verdict {
        case .rest(let rest): rest.records
        case .send(let turn): turn.records
        case .ask: []
        }
    }
}
