public import TimeZones

/// Sweeps of about the same size, or one.
public struct SweepCount: Sendable, Equatable {
    /// By rows of the record.
    public enum Size: Int32, Sendable, CaseIterable {
        case fewerThan5, fewerThan50, fewerThan500, fewerThan5000, more
    }

    /// The first attempt of one sweep; nil: all of this size.
    public var began: Instant?
    /// How large.
    public var size: Size
    /// How many.
    public var sweeps: Int
    /// Their rows.
    public var records: Int
    /// From the first attempt to the last; of several the longest.
    public var seconds: Int64
    /// Rows of one sweep that say `accepted`; 0 for several, as the three below.
    public var accepted: Int
    /// `rejected` or `deferred`.
    public var refused: Int
    /// `unknown`.
    public var unknown: Int
    /// `dropped` or `skipped`.
    public var unsent: Int

    /// All parts.
    public init(
        began: Instant? = nil,
        size: Size,
        sweeps: Int,
        records: Int,
        seconds: Int64,
        accepted: Int = 0,
        refused: Int = 0,
        unknown: Int = 0,
        unsent: Int = 0
    ) {
        self.began = began
        self.size = size
        self.sweeps = sweeps
        self.records = records
        self.seconds = seconds
        self.accepted = accepted
        self.refused = refused
        self.unknown = unknown
        self.unsent = unsent
    }
}
