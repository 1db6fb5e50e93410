/// What happens to the permission.
public enum PermissionEvent: Sendable, Equatable {
    /// The app started, and read the system's settings.
    case appStarted(SystemPermission)
    /// A session of the user's ended. It may be told of each: the first counts.
    case sessionEnded
    /// The user tapped what turns notifications on.
    case enableTapped
    /// The user answered the system's prompt.
    case answered(granted: Bool)
    /// The app came to the front, and read the system's settings anew.
    case settingsChanged(SystemPermission)
    /// Asking or registering failed, in words for the user.
    case failed(String)
}
