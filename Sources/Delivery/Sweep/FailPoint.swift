/// A place in a sweep at which a test ends or holds the process (faults.md, "kill -9 at any point"). Only debug builds listen for them; the
/// names are here for all, so that whoever kills can go through every one.
package enum FailPoint: String, CaseIterable, Sendable {
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
    /// Before a batch is leased.
    case beforeClaim = "before_claim"
    /// A batch is leased and not decided.
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
    /// A chunk's pushes are with the sender; some may be written.
    case handedOver = "handed_over"
    /// Some answers of a chunk are in.
    case answered
    /// All answers of a chunk are in, none is recorded.
    case beforeSettle = "before_settle"
    /// A chunk is settled, and its room is not yet free.
    case afterSettle = "after_settle"
    /// Users are about to be given back unchanged.
    case beforeRelease = "before_release"
    /// They are given back.
    case afterRelease = "after_release"
    /// An intent failed to commit, and is about to be withdrawn.
    case beforeWithdrawal = "before_withdrawal"
    /// It is withdrawn.
    case afterWithdrawal = "after_withdrawal"
}
