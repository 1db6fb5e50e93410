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
