import Policy
import Store

/// What a claimed user's turn comes to: a value, which the sweep carries out.
struct Judgement: Sendable {
    enum Verdict: Sendable {
        /// Nothing is sent: the row says when to ask again.
        case rest(PersonUpdate, Reason)
        /// The nudge goes out, once its intent is committed.
        case send(PlannedNudge)
    }

    let verdict: Verdict
    /// Slots and devices that went by unsent.
    let records: [DeliveryRecord]
    /// What an operator should hear, once per value.
    let notices: [Notice]
}
