/// Places at which a test can hold a sweep or end the process. All nil in what ships.
struct SweepHooks: Sendable {
    /// A batch is leased and not decided.
    var claimed: (@Sendable () async -> Void)?
    /// Before an intent is committed.
    var beforeIntent: (@Sendable () async -> Void)?
    /// An intent is committed, nothing is written.
    var afterIntent: (@Sendable () async -> Void)?
    /// All answers of a chunk are in, none is recorded.
    var beforeSettle: (@Sendable () async -> Void)?
}
