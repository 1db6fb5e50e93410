import Service
import Synchronization
import Systemd

/// Whether and why the demo must end early. It is checked between steps, so that all is removed in order.
final class Interruption: Sendable {
    private let state = Mutex<(error: CommandFailure?, action: (@Sendable () -> Void)?)>((nil, nil))

    private static let end = "the private PostgreSQL was stopped and its folder removed"
    static let signalled = CommandFailure("interrupted; \(end)", .interrupted)
    /// A closed pipe or a full disk.
    static let unread = CommandFailure("can't write the output; \(end)", .interrupted)

    /// Ends the demo at its next step. Any thread may call it. The first reason counts.
    func raise(_ error: CommandFailure = Interruption.signalled) {
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

    func forgetAction() { state.withLock { $0.action = nil } }

    var error: CommandFailure? { state.withLock { $0.error } }

    func check() throws(CommandFailure) { if let error { throw error } }
}

/// The daemon's log. Nothing of it is shown, but an error in it ends the demo with that message.
enum TroubleLog {
    static func write(_ line: LogLine, _ interruption: Interruption) {
        if line.event.level >= .error { interruption.raise(error(line.event, line.message)) }
    }

    static func error(_ event: Event, _ message: String) -> CommandFailure {
        switch event {
        case .databaseLost, .databaseRefused, .migrationsMissing:
            CommandFailure("the private PostgreSQL fails: \(message)", .unavailable)
        case .laneStopped, .connectionLost: CommandFailure("the simulated Apple fails: \(message)", .unavailable)
        default: CommandFailure(message, .software)
        }
    }
}
