/// A place in a sweep where a test can kill or hold the process. Only debug builds act on them. All builds have the
/// names, so that tools can go through every one.
package enum FailPoint: String, CaseIterable, Sendable {
    /// The daemon is about to join.
    case beforeJoin = "before_join"
    /// It is a member and owns no range yet.
    case afterJoin = "after_join"
    /// It is about to end a membership, to leave or to join again with its share.
    case beforeLeave = "before_leave"
    /// The attempt to end the membership is over.
    case afterLeave = "after_leave"
    /// It looks for members whose lease has ended.
    case beforeDeath = "before_death"
    /// Some members were declared dead, and their ranges are free.
    case afterDeath = "after_death"
    /// Before changes are drained.
    case beforeDrain = "before_drain"
    /// A step of a fan-out is over, for example a committed page.
    case afterFanOut = "after_fan_out"
    /// Changes are drained, and nobody is claimed yet.
    case afterDrain = "after_drain"
    /// Before orphans are looked for.
    case beforeRecover = "before_recover"
    /// Orphans were recorded as unknown.
    case afterRecover = "after_recover"
    /// Before users are claimed.
    case beforeClaim = "before_claim"
    /// Users are claimed and not planned yet.
    case claimed
    /// Users whose rows can't be read are about to be set aside.
    case beforeSetAside = "before_set_aside"
    /// Decisions that send nothing are made and not recorded yet.
    case beforeRest = "before_rest"
    /// Decisions that send nothing are recorded.
    case afterRest = "after_rest"
    /// Before an intent is committed.
    case beforeIntent = "before_intent"
    /// An intent is committed, and nothing is written yet.
    case afterIntent = "after_intent"
    /// The sender has an intent's pushes. Some may be written.
    case handedOver = "handed_over"
    /// Some outcomes are in.
    case answered
    /// All outcomes of some users are in and not recorded yet.
    case beforeSettle = "before_settle"
    /// They are recorded, and the users are not let go yet.
    case afterSettle = "after_settle"
    /// An intent failed to commit and is about to be withdrawn.
    case beforeWithdrawal = "before_withdrawal"
    /// The intent is withdrawn.
    case afterWithdrawal = "after_withdrawal"
}
