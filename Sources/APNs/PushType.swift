/// The header `apns-push-type`.
public enum PushType: String, Sendable, Hashable, CaseIterable {
    /// A visible notification.
    case alert
    /// Content for the app alone; priority must be 5 or 1.
    case background
    /// A change of location asked for.
    case location
    /// An incoming call.
    case voip
    /// An update of a watch face.
    case complication
    /// A change seen by a file provider.
    case fileprovider
    /// A command of device management.
    case mdm
    /// An update of a Live Activity.
    case liveactivity
    /// A Push to Talk session.
    case pushtotalk
    /// A reload of widgets.
    case widgets

    /// The most bytes that Apple takes as payload: 5,120 for voip, 4,096 for all others.
    public var payloadLimit: Int {
        self == .voip ? 5_120 : 4_096
    }
}
