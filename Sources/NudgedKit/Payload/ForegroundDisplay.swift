/// How the system shows a push while the app is in the foreground. Without an answer of the app's it shows nothing:
/// <https://developer.apple.com/documentation/usernotifications/unusernotificationcenterdelegate>
public enum ForegroundDisplay: String, Sendable, CaseIterable {
    /// A banner and a sound, and an entry in the list of notifications.
    case banner
    /// Only an entry in the list: the user already sees what the push is about.
    case list
}
