package import Policy
package import Store
package import TimeZones

/// What to do for one user now: a value, which the stages of delivery carry out.
package enum Plan: Sendable {
    /// Nothing is sent. The reason: why no check-in goes now. → settled as it is.
    case nothing(UserSettlement, Reason, [Notice])
    /// The nudges go out, once their intent is committed. → `Planner.settle`, with their outcomes.
    case send(SendPlan, [Notice])
    /// Nothing was decided, since the user's zone could not be read now: the row stays as it is. → planned again, a
    /// minute later.
    case unreadable(TimeZoneError)

    /// What an operator should hear, once per value.
    package var notices: [Notice] {
        switch self {
        case .nothing(_, _, let notices), .send(_, let notices): notices
        case .unreadable: []
        }
    }

    /// What is recorded whatever becomes of a push.
    package var records: [DeliveryRecord] {
        switch self {
        case .nothing(let settlement, _, _): settlement.records
        case .send(let plan, _): plan.records
        case .unreadable: []
        }
    }
}

/// What is written of one user: when nothing is sent, or once each push has an outcome. `Store.Settlement` is that of
/// many.
package struct UserSettlement: Sendable {
    /// The user's row, with the instant at which they are evaluated again.
    package var update: PersonUpdate
    /// Outcomes, slots and devices that went by unsent, messages that were dropped.
    package var records: [DeliveryRecord] = []
    /// Messages and reminders that ended.
    package var ended: [NudgeIdentity] = []
    /// What comes after those reminders.
    package var continued: [ReminderContinuation] = []
    package var staleTokens: [Settlement.StaleToken] = []
}
