/// What the system's settings say about notifications of this app.
public enum SystemPermission: String, Sendable, CaseIterable {
    /// The user was never asked, or has not answered: the system would show its prompt.
    case undetermined
    /// They may be shown; quietly (provisional) or for a while (an app clip's) counts, too.
    case allowed
    /// The user said no, then or in the settings: the system shows no prompt any more.
    case denied
}
