import Logging
import Systemd

/// The daemon's log. Nothing of it is shown, but an error in it ends the demo with that message.
struct TroubleLog: LogHandler {
    private let interruption: Interruption

    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .error

    init(_ interruption: Interruption) {
        self.interruption = interruption
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        interruption.raise(Self.error(event.metadata?["event"].map { "\($0)" }, "\(event.message)"))
    }

    /// Which part failed, by the event's name.
    static func error(_ event: String?, _ message: String) -> DemoError {
        switch event.flatMap(Event.named) {
        case .databaseLost, .databaseRefused, .migrationsMissing:
            DemoError(.database, "the private PostgreSQL fails: \(message)")
        case .laneStopped, .connectionLost: DemoError(.apple, "the simulated Apple fails: \(message)")
        default: DemoError(.daemon, message)
        }
    }
}
