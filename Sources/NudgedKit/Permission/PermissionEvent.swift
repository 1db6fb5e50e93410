/// Something that concerns the permission. The app reports each one to `Permission.handle(_:)`.
public enum PermissionEvent: Sendable, Equatable {
    /// The app started and read the system's settings.
    case appStarted(SystemPermission)
    /// A session of the user ended. The app may report every session: only the first leads to a prompt.
    case sessionEnded
    /// The user tapped the control that enables notifications.
    case enableTapped
    /// The user answered the system's prompt.
    case answered(granted: Bool)
    /// The app came to the foreground and read the system's settings again.
    case settingsChanged(SystemPermission)
    /// Asking or registering failed. The text is for the user.
    case failed(String)
}
