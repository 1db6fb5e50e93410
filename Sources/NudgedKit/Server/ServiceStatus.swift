/// Whether the decision service is in use, for the app's settings.
public enum ServiceStatus: String, Sendable, CaseIterable {
    /// It decides about the nudges of users who consent.
    case active
    /// It does not answer, so users' fallback strategies decide.
    case resting
    /// None is configured, or no daemon runs.
    case off
}
