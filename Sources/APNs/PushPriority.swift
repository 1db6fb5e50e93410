/// The header `apns-priority`.
public enum PushPriority: UInt8, Sendable, Hashable, CaseIterable {
    /// Deliver at once.
    case immediate = 10
    /// Deliver when it suits the device's power.
    case conserving = 5
    /// Power comes before everything; the device is not woken.
    case lowest = 1
}
