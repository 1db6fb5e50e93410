/// What an app shows beside notifications. Each has tokens of its own.
public enum Surface: Sendable, Hashable {
    case widgets
    case controls
    /// Starts Live Activities of a Swift type, such as `OrderAttributes` (`attributes_type` in the push).
    case start(type: String)
    /// A running Live Activity, by the app's own name of it.
    case activity(id: String)

    /// As `nudged_me.register_device` takes it.
    public var text: String {
        switch self {
        case .widgets: "widgets"
        case .controls: "controls"
        case .start(let type): "start:\(type)"
        case .activity(let id): "activity:\(id)"
        }
    }
}
