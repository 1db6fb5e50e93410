import Policy
import Store
import TimeZones

/// What becomes of a nudge now.
enum NudgeStep {
    /// It goes to some of its devices.
    case send(PlannedNudge)
    /// The policy does not let it go now. The retry: what is remembered of it.
    case wait(Decision, Retry?)
    /// The policy lets it go, but each device that is left is to be tried later.
    case backOff(Retry)
    /// There is no other attempt. A check-in is followed by the next slot's, a message or a reminder ends with its row.
    ///
    /// - Parameter closing: the slot of a check-in that does not count.
    case end([DeliveryRecord], closing: LocalDate?)
}
