import struct FoundationEssentials.UUID

/// Spreads that could not be gone on with: somebody holds them, or the app's view refuses. They are left for a while, so that they hold up nobody else.
struct SpreadMemory: Sendable {
    /// Milliseconds.
    private static let pause: Int64 = 5_000

    private var until: [UUID: Int64] = [:]

    /// Those to leave, at an instant of CLOCK_BOOTTIME in milliseconds.
    mutating func left(at now: Int64) -> [UUID] {
        until = until.filter { $0.value > now }
        return Array(until.keys)
    }

    mutating func leave(_ id: UUID, at now: Int64) { until[id] = now + Self.pause }
}
