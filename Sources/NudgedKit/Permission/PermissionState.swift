/// How it stands with the permission, as a settings screen shows it.
public enum PermissionState: Sendable, Equatable {
    /// Not asked or not answered yet. Goes to any other.
    case notRequested
    /// Notifications may be shown. Goes to denied (in the system's settings) and error (the token).
    case granted
    /// The user said no; only the system's settings change that. Goes to granted.
    case denied
    /// Asking or registering failed, with its words. Goes to any other with the system's next word, or when the user tries again.
    case error(String)
}
