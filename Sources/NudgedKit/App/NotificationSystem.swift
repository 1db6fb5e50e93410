#if !hasFeature(Embedded)
    /// What `Nudges` needs of the system. `AppleNotifications` has it on Apple's platforms; tests have their own.
    @MainActor
    public protocol NotificationSystem {
        /// The time in Unix seconds.
        var now: Int64 { get }

        /// Reads the system's settings.
        func permission() async -> SystemPermission

        /// Shows the system's prompt.
        ///
        /// - Returns: `.answered` or `.failed`.
        func prompt() async -> PermissionEvent

        /// Opens the system's settings for this app's notifications.
        func openSettings() async

        /// Asks the system for the device's token. The system hands it over later: see `Nudges.received(_:)` and
        /// `Nudges.registrationFailed(_:)`.
        func registerToken()

        /// Removes this app's pushes from the screen and the list of notifications, and its badge.
        func removeDelivered()

        /// This app's pushes that are on the screen or in the list of notifications, each with the system's identifier.
        func delivered() async -> [(identifier: String, payload: Payload)]

        /// Removes the pushes with these identifiers from the screen and the list of notifications.
        func removeDelivered(_ identifiers: [String])

        /// Removes the app's badge.
        func removeBadge()

        /// What to store of this device now.
        func registration(of token: DeviceToken) -> DeviceRegistration

        /// The event for an error of the system's or the server's.
        func event(of error: any Error) -> PermissionEvent

        /// Reads a text that `store(_:_:)` stored, also at an earlier run.
        func stored(_ key: String) -> String?

        /// Stores a short text under a key.
        func store(_ key: String, _ text: String)
    }
#endif

/// How the system shows a push while the app is in the foreground. Without an answer of the app's it shows nothing:
/// <https://developer.apple.com/documentation/usernotifications/unusernotificationcenterdelegate>
public enum ForegroundDisplay: String, Sendable, CaseIterable {
    /// A banner and a sound, and an entry in the list of notifications.
    case banner
    /// Only an entry in the list: the user already sees what the push is about.
    case list
}
