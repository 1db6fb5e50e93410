/// A good request that is in flight until a test releases it.
struct HeldPush {
    let pending: PendingPush
    let then: ScriptedAnswer
    /// Whether the push is in the log already.
    let isLogged: Bool
}
