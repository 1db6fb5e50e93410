/// Places at which a test can hold a sweep or end the process. All nil in what ships.
package struct SweepHooks: Sendable {
    /// A batch is leased and not decided.
    package var claimed: (@Sendable () async -> Void)?
    /// Before an intent is committed.
    package var beforeIntent: (@Sendable () async -> Void)?
    /// An intent is committed, nothing is written.
    package var afterIntent: (@Sendable () async -> Void)?
    /// All answers of a chunk are in, none is recorded.
    package var beforeSettle: (@Sendable () async -> Void)?

    package init() {}
}
