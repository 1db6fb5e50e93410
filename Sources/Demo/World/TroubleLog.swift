import Logging

/// The daemon's log: nothing is shown of it, but an error in it ends the demo, with its words.
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
        interruption.raise(DemoError(.daemon, "\(event.message)"))
    }
}
