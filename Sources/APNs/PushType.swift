/// The header `apns-push-type`.
public enum PushType: String, Sendable, Hashable, CaseIterable {
    /// A visible notification.
    case alert
    /// Content for the app only. The priority must be 5 or 1.
    case background
    /// A request for the device's location.
    case location
    case voip
    /// An update of a watch complication.
    case complication
    /// A change at a file provider.
    case fileprovider
    /// A command of a device management server.
    case mdm
    case liveactivity
    case pushtotalk
    case widgets

    /// Apple's limit for the payload in bytes: 5,120 for voip, 4,096 for all others.
    public var payloadLimit: Int {
        self == .voip ? 5_120 : 4_096
    }
}
