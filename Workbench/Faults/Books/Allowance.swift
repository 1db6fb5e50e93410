/// What a fault may cause.
public struct Allowance: Sendable, Equatable {
    /// Pushes (`apns-id`) in intents that were open when their daemon was killed. They must become `unknown`.
    public var openAtKill: Set<String> = []
    /// Pushes (`apns-id`) that were in flight while the whole machine stood still. They may be `unknown`: their answers
    /// or their daemon's lease may have been too late.
    public var stoodStill: Set<String> = []
    /// How many more may be `unknown`: a connection to Apple was cut, or an answer was held back.
    public var further = 0
    /// Tokens that the script itself deleted from `push_tokens`.
    public var tokensTaken: Set<String> = []
    /// Pushes (`apns-id`) whose rows of the record the script removed: a restored backup, an erased user.
    public var recordLost: Set<String> = []
    /// Users whose data the script changed. Nothing is expected of them, except that limits and quiet hours from before
    /// hold.
    public var changed: Set<String> = []

    /// Allows nothing.
    public init() {}

    /// How many rows may be `unknown`.
    public var unknown: Int { openAtKill.union(stoodStill).count + further }
}
