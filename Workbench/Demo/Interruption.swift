import Synchronization

/// Whether and why the demo must end early. It is checked between steps, so that everything is stopped and removed in
/// order.
final class Interruption: Sendable {
    private struct State {
        var error: DemoError?
        var action: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// A signal came.
    static let signalled = DemoError(
        .interrupted,
        "interrupted; the private PostgreSQL was stopped and its folder removed"
    )

    /// A closed pipe or a full disk.
    static let unread = DemoError(
        .interrupted,
        "can't write the output; the private PostgreSQL was stopped and its folder removed"
    )

    /// Ends the demo at its next step. Any thread may call it. The first reason counts.
    func raise(_ error: DemoError = Interruption.signalled) {
        let action = state.withLock { state in
            defer { state.action = nil }
            if state.error == nil { state.error = error }
            return state.action
        }
        action?()
    }

    /// Sets an action that ends a long step. It is called once, when the interruption is raised, or now if it was.
    func onRaise(_ action: @escaping @Sendable () -> Void) {
        let isRaised = state.withLock { state in
            if state.error == nil { state.action = action }
            return state.error != nil
        }
        if isRaised { action() }
    }

    /// Removes the action.
    func forgetAction() {
        state.withLock { $0.action = nil }
    }

    var error: DemoError? { state.withLock { $0.error } }

    func check() throws(DemoError) {
        if let error { throw error }
    }
}
