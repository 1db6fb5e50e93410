/// What the app does next.
public enum PermissionEffect: Sendable, Equatable, CaseIterable {
    /// Show the system's prompt, and tell the answer.
    case prompt
    /// Point to the system's settings: there is no prompt any more.
    case openSettings
    /// Ask the system for the device's token and store it.
    case registerToken
    /// Go on. The app works without notifications.
    case nothing
}
