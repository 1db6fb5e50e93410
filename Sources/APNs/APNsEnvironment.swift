/// Apple's service that a device token belongs to.
public enum APNsEnvironment: String, Sendable, Hashable, CaseIterable {
    /// Development builds.
    case sandbox
    /// App Store, TestFlight and ad hoc builds.
    case production

    /// The host name of the service.
    public var host: String {
        switch self {
        case .sandbox: "api.sandbox.push.apple.com"
        case .production: "api.push.apple.com"
        }
    }
}
