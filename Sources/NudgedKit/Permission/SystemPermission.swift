/// What the system's settings say about this app's notifications. It condenses Apple's `UNAuthorizationStatus`:
/// <https://developer.apple.com/documentation/usernotifications/unauthorizationstatus>
public enum SystemPermission: String, Sendable, CaseIterable {
    /// `notDetermined`: the user was never asked or has not answered. The system would show its prompt.
    case undetermined
    /// `authorized`, `provisional` or `ephemeral`: notifications may be shown.
    case allowed
    /// `denied`: the user refused. The system shows no prompt any more.
    case denied
}
