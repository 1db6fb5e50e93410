/// Who may use a connection: an actor alone would let other callers in while an interactive transaction's body waits for
/// something else. First come, first served.
struct TransactionTurn {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// true: it is yours; pass it on. false: wait.
    mutating func take() -> Bool {
        if isTaken { return false }
        isTaken = true
        return true
    }

    mutating func wait(_ continuation: CheckedContinuation<Void, Never>) {
        waiting.append(continuation)
    }

    /// Whom to resume: the turn is theirs already, so nobody can slip in between.
    mutating func pass() -> CheckedContinuation<Void, Never>? {
        if waiting.isEmpty {
            isTaken = false
            return nil
        }
        return waiting.removeFirst()
    }
}
