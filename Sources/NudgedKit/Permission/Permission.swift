/// Decides whether and when to ask for the permission to show notifications. It is a value: the app performs the
/// effects and stores `rawValue` after each event.
///
/// A new user who does not know the app yet often refuses, and the system shows its prompt only once. So the app first
/// shows a question of its own, after a session. "Not now" costs nothing: the question comes again a week later, three
/// times in all. Only "yes" leads to the system's prompt. A user who taps "enable" gets the prompt if the system still
/// shows it, else the system's settings.
///
/// Apple: <https://developer.apple.com/documentation/usernotifications/asking-permission-to-use-notifications>
public struct Permission: Sendable, Equatable {
    /// How often the app's own question is shown without a tap of the user's.
    public static let mostExplanations = 3
    /// Seconds between two of these questions: a week.
    public static let secondsBetweenExplanations: Int64 = 7 * 86_400

    /// What the system last reported.
    var system = SystemPermission.undetermined
    /// Whether the system's prompt is on the screen. It does not survive the end of the app.
    var isPrompting = false
    /// How often the app's own question was shown, and when last, in Unix seconds.
    var explanations = 0
    var explainedAt: Int64 = 0
    /// The text of the last failure, until the next change.
    var failure: String?

    /// A new installation: no question was shown.
    public init() {}

    /// The state to show in a settings screen.
    public var state: PermissionState {
        if let failure { return .error(failure) }
        switch system {
        case .undetermined: return .notRequested
        case .allowed: return .granted
        case .denied: return .denied
        case .unknown: return .error("The system reports a setting that this version of the app does not know.")
        }
    }

    /// Records an event and returns what the app must do next.
    public mutating func handle(_ event: PermissionEvent) -> PermissionEffect {
        switch event {
        case .appStarted(let system):
            isPrompting = false
            learn(system)
            // At each start: this renews the registration, and tokens change.
            return system == .allowed ? .registerToken : .nothing
        case .settingsChanged(let system):
            let isNews = system != self.system
            // Also after a failed registration, to try again. Without a change, a failure's text stays.
            guard isNews || system == .allowed && failure != nil else { return .nothing }
            learn(system)
            return system == .allowed ? .registerToken : .nothing
        case .sessionEnded(let instant):
            return explain(at: instant)
        case .enableTapped:
            return enable()
        case .answered(let granted):
            isPrompting = false
            learn(granted ? .allowed : .denied)
            return granted ? .registerToken : .nothing
        case .failed(let text):
            isPrompting = false
            failure = text
            return .nothing
        }
    }

    /// The question counts when it is shown. So "not now", a swipe and the end of the app are all the same.
    private mutating func explain(at instant: Int64) -> PermissionEffect {
        guard system == .undetermined, !isPrompting, explanations < Self.mostExplanations else { return .nothing }
        if explanations > 0 {
            // In both directions: a clock that was wrong once must not silence the question for years.
            let (seconds, isHuge) = instant.subtractingReportingOverflow(explainedAt)
            guard isHuge || seconds.magnitude >= UInt64(Self.secondsBetweenExplanations) else { return .nothing }
        }
        explanations += 1
        explainedAt = instant
        return .explain
    }

    private mutating func enable() -> PermissionEffect {
        switch system {
        case .allowed:
            failure = nil
            return .registerToken
        case .denied, .unknown:
            return .openSettings
        case .undetermined:
            guard !isPrompting else { return .nothing }
            isPrompting = true
            failure = nil
            return .prompt
        }
    }

    private mutating func learn(_ system: SystemPermission) {
        self.system = system
        failure = nil
    }
}

/// The permission's state, for a settings screen. A case names the usual next states.
public enum PermissionState: Sendable, Equatable {
    /// The user was not asked, or has not answered. Goes to any other state.
    case notRequested
    /// Notifications may be shown. Goes to `denied` (in the system's settings) or `error` (the token).
    case granted
    /// The user refused. Only the system's settings can change that. Goes to `granted`.
    case denied
    /// Asking or registering failed; the text says why. Goes to any other state on the next change, or when the user
    /// tries again.
    case error(String)
}

/// Something that concerns the permission. The app reports each one to `Permission.handle(_:)`.
public enum PermissionEvent: Sendable, Equatable {
    /// The app started and read the system's settings.
    case appStarted(SystemPermission)
    /// A session of the user ended, at an instant in Unix seconds. The app reports every session.
    case sessionEnded(at: Int64)
    /// The user wants notifications: "yes" to the app's own question, or a tap in its settings screen.
    case enableTapped
    /// The user answered the system's prompt.
    case answered(granted: Bool)
    /// The app came to the foreground and read the system's settings again.
    case settingsChanged(SystemPermission)
    /// Asking or registering failed. The text is for the user.
    case failed(String)

    /// The event for an error of the system's.
    ///
    /// Code 1 of `UNErrorDomain` (`notificationsNotAllowed`) is a refusal, not a failure. Apple:
    /// <https://developer.apple.com/documentation/usernotifications/unerror/code/notificationsnotallowed>
    ///
    /// - Parameter text: the error in the user's language.
    public static func error(domain: String, code: Int, text: String) -> PermissionEvent {
        domain == "UNErrorDomain" && code == 1 ? .answered(granted: false) : .failed(text)
    }
}

/// What the app must do after an event.
public enum PermissionEffect: Sendable, Equatable, CaseIterable {
    /// Show the app's own question: why notifications help, with "yes" and "not now". Report `.enableTapped` after
    /// "yes". After "not now" there is nothing to report.
    case explain
    /// Show the system's prompt, then report `.answered` or `.failed`. Apple:
    /// <https://developer.apple.com/documentation/usernotifications/asking-permission-to-use-notifications>
    case prompt
    /// Open the system's settings: the system shows no prompt after a refusal.
    case openSettings
    /// Ask the system for the device's token and store it. Report `.failed` if that fails. Apple:
    /// <https://developer.apple.com/documentation/uikit/uiapplication/registerforremotenotifications()>
    case registerToken
    /// Nothing. The app works without notifications.
    case nothing
}

/// What the system's settings say about this app's notifications. It condenses Apple's `UNAuthorizationStatus`:
/// <https://developer.apple.com/documentation/usernotifications/unauthorizationstatus>
public enum SystemPermission: String, Sendable, CaseIterable {
    /// `notDetermined`: the user has not answered. The system would show its prompt.
    case undetermined
    /// `authorized`, `provisional` or `ephemeral`: notifications may be shown.
    case allowed
    /// `denied`: the user refused. The system shows no prompt any more.
    case denied
    /// A status that this version of NudgedKit does not know.
    case unknown

    /// Reads the raw value of a `UNAuthorizationStatus`.
    public init(status: Int) {
        self =
            switch status {
            case 0: .undetermined
            case 1: .denied
            case 2, 3, 4: .allowed
            default: .unknown
            }
    }
}

extension Permission: RawRepresentable {
    /// The state as one string, for the app's defaults.
    ///
    /// `undetermined`, `allowed`, `denied` or `unknown`; then `+prompting` while the prompt is on the screen; then
    /// `+explained`, how often and when last, if the app's own question was shown; then `!` and the text if there was
    /// a failure: `undetermined+explained:2:1767225600!No network`.
    public var rawValue: String {
        system.rawValue + (isPrompting ? "+prompting" : "")
            + (explanations > 0 ? "+explained:\(explanations):\(explainedAt)" : "") + (failure.map { "!\($0)" } ?? "")
    }

    /// Reads a string that `rawValue` made; nil for any other.
    public init?(rawValue: String) {
        // Split by bytes: the text's first scalar may combine with `!` to one `Character`.
        let halves = rawValue.utf8.split(separator: UInt8(ascii: "!"), maxSplits: 1, omittingEmptySubsequences: false)
        var parts = halves[0].split(separator: UInt8(ascii: "+"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }[...]
        guard let first = parts.popFirst(), let system = SystemPermission(rawValue: first) else { return nil }
        self.system = system
        if parts.first == "prompting" {
            isPrompting = true
            parts.removeFirst()
        }
        if let explained = parts.popFirst(), !read(explained: explained) { return nil }
        guard parts.isEmpty else { return nil }
        if halves.count > 1 { failure = String(decoding: halves[1], as: UTF8.self) }
    }

    /// Reads `explained:2:1767225600`.
    private mutating func read(explained text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard parts.count == 3, parts[0] == "explained", let count = Int(parts[1]), count > 0,
            let instant = Int64(parts[2])
        else { return false }
        explanations = count
        explainedAt = instant
        return true
    }
}
