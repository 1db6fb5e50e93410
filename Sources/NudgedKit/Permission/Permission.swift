/// The permission to show notifications: whether to ask for it, and when. A value; the app performs the effects and keeps `rawValue`.
///
/// By itself it asks once in the life of an installation, after the first session that ended: who has not seen what the app is good for says no, and the
/// system asks nobody twice. A user who taps "enable" is asked whenever the system still can, and is shown its settings where it can't.
public struct Permission: Sendable, Equatable {
    /// How far the prompt is.
    enum Prompt: Sendable {
        /// Not shown. Goes to `shown`.
        case ahead
        /// On the screen. Goes to `over`: answered, failed, or the app ended under it.
        case shown
        /// Shown once: it comes again only where the user asks for it. Goes to `shown`.
        case over
    }

    /// What the system last said.
    var system = SystemPermission.undetermined
    var prompt = Prompt.ahead
    /// Words of the last failure, until there is news.
    var failure: String?

    /// Nothing asked yet.
    public init() {}

    /// How it stands.
    public var state: PermissionState {
        if let failure { return .error(failure) }
        switch system {
        case .undetermined: return .notRequested
        case .allowed: return .granted
        case .denied: return .denied
        }
    }

    /// Takes in what happened, and says what the app does next.
    public mutating func handle(_ event: PermissionEvent) -> PermissionEffect {
        switch event {
        case .appStarted(let system):
            // A prompt does not outlive the app.
            if prompt == .shown { prompt = .over }
            learn(system)
            // At each start: it renews the registration, and tokens change.
            return system == .allowed ? .registerToken : .nothing
        case .settingsChanged(let system):
            let isNews = system != self.system
            // A token that could not be had is asked for again; other words stay until there is news.
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
        case .failed(let words):
            if prompt == .shown { prompt = .over }
            failure = words
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
