/// A place in a sweep at which a test ends or holds the process. Only debug builds listen for them; the
/// names are here for all, so that whoever kills can go through every one.
package enum FailPoint: String, CaseIterable, Sendable {
    /// The daemon is about to join those who share the work.
    case beforeJoin = "before_join"
    /// It is a member, and owns no range yet.
    case afterJoin = "after_join"
    /// It is about to leave them, or to leave and join again with its share.
    case beforeLeave = "before_leave"
    /// It has left.
    case afterLeave = "after_leave"
    /// It looks for members whose lease has ended.
    case beforeBury = "before_bury"
    /// Some were declared dead, and their ranges are free.
    case afterBury = "after_bury"
    /// Before changes are drained.
    case beforeDrain = "before_drain"
    /// A page of a reminder for everyone is committed.
    case afterSpread = "after_spread"
    /// Changes are drained, nobody is claimed.
    case afterDrain = "after_drain"
    /// Before the open intents of a dead daemon are looked for.
    case beforeRecover = "before_recover"
    /// Some were found, and are recorded as unknown.
    case afterRecover = "after_recover"
    /// Before users are claimed.
    case beforeClaim = "before_claim"
    /// Users are claimed and not planned.
    case claimed
    /// Users whose rows can't be read are about to be put off.
    case beforeSetAside = "before_set_aside"
    /// Decisions that send nothing are made, and not recorded.
    case beforeRest = "before_rest"
    /// They are recorded.
    case afterRest = "after_rest"
    /// Before an intent is committed.
    case beforeIntent = "before_intent"
    /// An intent is committed, nothing is written.
    case afterIntent = "after_intent"
    /// An intent's pushes are with the sender; some may be written.
    case handedOver = "handed_over"
    /// Some answers are in.
    case answered
    /// Users' answers are in, and not recorded.
    case beforeSettle = "before_settle"
    /// They are recorded, and the users not yet let go.
    case afterSettle = "after_settle"
    /// An intent failed to commit, and is about to be withdrawn.
    case beforeWithdrawal = "before_withdrawal"
    /// It is withdrawn.
    case afterWithdrawal = "after_withdrawal"
}
