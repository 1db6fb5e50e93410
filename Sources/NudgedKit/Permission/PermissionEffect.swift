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
