import Synchronization

/// Whether and why the demo is to end early: asked between its steps, so that what runs is stopped and removed in order.
final class Interruption: Sendable {
    private struct State {
        var error: DemoError?
        var action: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// What a signal means.
    static let signalled = DemoError(.interrupted, "interrupted: the server is stopped and its folder removed")

    /// What a closed pipe or a full disk means.
    static let unread = DemoError(
        .interrupted,
        "the output can't be written; the server is stopped and its folder removed"
    )

    /// Ends the demo at its next step; safe from any thread. The first reason counts.
    func raise(_ error: DemoError = Interruption.signalled) {
        let action = state.withLock { state in
            defer { state.action = nil }
            if state.error == nil { state.error = error }
            return state.action
        }
        action?()
    }

    /// Called once at the raising, at once where that was before: ends a step that would take long.
    func onRaise(_ action: @escaping @Sendable () -> Void) {
        let isRaised = state.withLock { state in
            if state.error == nil { state.action = action }
            return state.error != nil
        }
        if isRaised { action() }
    }

    /// The action is not wanted any more.
    func forgetAction() {
        state.withLock { $0.action = nil }
    }

    var error: DemoError? { state.withLock { $0.error } }

    func check() throws(DemoError) {
        if let error { throw error }
    }
}
