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
