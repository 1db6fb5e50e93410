/// The header `apns-priority`.
public enum PushPriority: UInt8, Sendable, Hashable, CaseIterable {
    case immediate = 10
    /// Deliver when the device's power state allows it.
    case conserving = 5
    /// Saving power has priority. The device is not woken.
    case lowest = 1
}
