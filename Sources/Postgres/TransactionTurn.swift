/// Gives a connection to one caller after another, in order of arrival. The actor alone would admit other callers while
/// the body of an interactive transaction waits.
struct TransactionTurn {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Nobody has the connection.
    var isFree: Bool { !isTaken }

    /// Returns true if the caller has the connection. It must call `pass` later. Returns false if it must wait.
    mutating func take() -> Bool {
        if isTaken { return false }
        isTaken = true
        return true
    }

    mutating func wait(_ continuation: CheckedContinuation<Void, Never>) {
        waiting.append(continuation)
    }

    /// Returns the caller to resume. It has the connection at once, so no other caller can get it before.
    mutating func pass() -> CheckedContinuation<Void, Never>? {
        if waiting.isEmpty {
            isTaken = false
            return nil
        }
        return waiting.removeFirst()
    }
}
