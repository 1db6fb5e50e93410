/// Why an action was chosen.
public enum Reason: String, Sendable, CaseIterable {
    // Send.
    case due
    case urgent
    // Wait.
    case notDue = "not_due"
    case frequency
    case quietHours = "quiet_hours"
    case capped
    // Hold.
    case paused
    case notOptedIn = "not_opted_in"
    case preferencesMalformed = "preferences_malformed"
    case firstSessionIncomplete = "first_session_incomplete"
    case timezoneUnresolved = "timezone_unresolved"
    // Hold for check-ins, drop for messages and reminders.
    case disabled
    case noDevice = "no_device"
    // Drop.
    case expired
    case expiresInQuietHours = "expires_in_quiet_hours"
    case expiresWhileCapped = "expires_while_capped"
}
