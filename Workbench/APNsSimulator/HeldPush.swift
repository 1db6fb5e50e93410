/// A valid request that stays unanswered until a test releases it.
struct HeldPush {
    let pending: PendingPush
    let then: ScriptedAnswer
    /// Whether the push was already logged as accepted.
    let isLogged: Bool
}
