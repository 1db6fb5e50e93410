import struct FoundationEssentials.UUID

/// One sweep under way: its report grows until its last chunk is settled, which may be after the next sweep has begun.
/// Guarded by the `Sweeper` actor: never leaves it.
final class SweepRun {
    let id = UUID()
    let startedAt = BootTime.milliseconds()
    var report = SweepReport()
    /// Chunks that are written but not settled.
    var openChunks = 0
    /// All users are claimed and handed over.
    var isHandedOver = false
    /// The milliseconds are counted, the report was given.
    var isReported = false
}
