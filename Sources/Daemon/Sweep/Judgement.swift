import Policy
import Store
import TimeZones

/// What a claimed user's turn comes to: a value, which the sweep carries out.
struct Judgement: Sendable {
    enum Verdict: Sendable {
        /// Nothing is sent: the row says when to ask again.
        case rest(PersonUpdate, Reason)
        /// The nudge goes out, once its intent is committed.
        case send(PlannedNudge)
        /// Nothing was decided, since the user's zone could not be read now: they are asked again, the row stays as it is.
        case ask(TimeZoneError)
    }

    let verdict: Verdict
    /// Slots and devices that went by unsent.
    let records: [DeliveryRecord]
    /// What an operator should hear, once per value.
    let notices: [Notice]
}
