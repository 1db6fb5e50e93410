/// The platforms that nudged sends to.
public enum DevicePlatform: String, Sendable, CaseIterable {
    case ios, ipados, macos, watchos, tvos, visionos
}
