/// What a fault excuses.
public struct Allowance: Sendable, Equatable {
    /// Pushes (`apns-id`) in intents that were open when their daemon was killed: these and no others are to be `unknown`.
    public var openAtKill: Set<String> = []
    /// Beside those: so many more, where a connection to Apple was cut off or an answer kept back.
    public var further = 0
    /// Tokens that the script itself took from `push_tokens`.
    public var tokensTaken: Set<String> = []
    /// Pushes (`apns-id`) whose rows of the record the script took away: a restored backup, an erased user.
    public var recordLost: Set<String> = []
    /// Users whose data the script changed: of them nothing is expected, and what they got is held against caps and quiet hours of before.
    public var changed: Set<String> = []

    /// Nothing.
    public init() {}

    /// The most rows that may be `unknown`.
    public var unknown: Int { openAtKill.count + further }
}
