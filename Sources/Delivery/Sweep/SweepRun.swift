import struct FoundationEssentials.UUID

/// One sweep under way: its report grows until its last chunk is settled, which may be after the next sweep has begun.
///
/// `@unchecked Sendable`: its variables are read and written by the `Sweeper` actor only; tasks and callbacks carry the reference back to it.
final class SweepRun: @unchecked Sendable {
    let id = UUID()
    let startedAt = BootTime.milliseconds()
    var report = SweepReport()
    /// Chunks that are written but not settled.
    var openChunks = 0
    /// Parts of batches that wait for their lanes.
    var openPortions = 0
    /// All users are claimed and handed over.
    var isHandedOver = false
    /// The database let it go through to its end.
    var isWhole = false
    /// The milliseconds are counted, the report was given.
    var isReported = false
}
