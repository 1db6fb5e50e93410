/// Decides whether and when to ask for the permission to show notifications. It is a value: the app performs the
/// effects and stores `rawValue` after each event.
///
/// On its own it asks once per installation, after the first session. A new user who does not know the app yet often
/// refuses, and the system shows its prompt only once. A user who taps "enable" gets the prompt if the system still
/// shows it, else the system's settings.
///
/// Apple: <https://developer.apple.com/documentation/usernotifications/asking-permission-to-use-notifications>
public struct Permission: Sendable, Equatable {
    /// Whether the system's prompt was shown.
    enum Prompt: Sendable {
        /// Not shown yet. Goes to `shown`.
        case ahead
        /// On the screen. Goes to `over` when it is answered, when it fails, or when the app starts again.
        case shown
        /// Shown at least once. Goes to `shown` only if the user taps "enable".
        case over
    }

    /// What the system last reported.
    var system = SystemPermission.undetermined
    var prompt = Prompt.ahead
    /// The text of the last failure, until the next change.
    var failure: String?

    /// A new installation: nothing was asked.
    public init() {}

    /// The state to show in a settings screen.
    public var state: PermissionState {
        if let failure { return .error(failure) }
        switch system {
        case .undetermined: return .notRequested
        case .allowed: return .granted
        case .denied: return .denied
        }
    }

    /// Records an event and returns what the app must do next.
    public mutating func handle(_ event: PermissionEvent) -> PermissionEffect {
        switch event {
        case .appStarted(let system):
            // A prompt does not survive the end of the app.
            if prompt == .shown { prompt = .over }
            learn(system)
            // At each start: this renews the registration, and tokens change.
            return system == .allowed ? .registerToken : .nothing
        case .settingsChanged(let system):
            let isNews = system != self.system
            // Also after a failed registration, to try again. Without a change, a failure's text stays.
            guard isNews || system == .allowed && failure != nil else { return .nothing }
            learn(system)
            return system == .allowed ? .registerToken : .nothing
        case .sessionEnded:
            return system == .undetermined && prompt == .ahead ? ask() : .nothing
        case .enableTapped:
            return enable()
        case .answered(let granted):
            prompt = .over
            learn(granted ? .allowed : .denied)
            return granted ? .registerToken : .nothing
        case .failed(let text):
            if prompt == .shown { prompt = .over }
            failure = text
            return .nothing
        }
    }

    private mutating func enable() -> PermissionEffect {
        switch system {
        case .allowed:
            failure = nil
            return .registerToken
        case .denied: return .openSettings
        case .undetermined: return prompt == .shown ? .nothing : ask()
        }
    }

    private mutating func ask() -> PermissionEffect {
        prompt = .shown
        failure = nil
        return .prompt
    }

    private mutating func learn(_ system: SystemPermission) {
        self.system = system
        failure = nil
    }
}
