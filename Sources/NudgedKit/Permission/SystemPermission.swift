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
