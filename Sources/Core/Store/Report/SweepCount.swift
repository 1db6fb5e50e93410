package import TimeZones

/// Sweeps of a similar size, or a single sweep.
package struct SweepCount: Sendable, Equatable {
    /// By rows of the record.
    package enum Size: Int32, Sendable, CaseIterable {
        case fewerThan5, fewerThan50, fewerThan500, fewerThan5000, more
    }

    /// The first attempt of a single sweep; nil: all sweeps of this size.
    package var began: Instant?
    package var size: Size
    package var sweeps: Int
    /// Their rows in the record.
    package var records: Int
    /// From the first attempt to the last; of several sweeps the longest.
    package var seconds: Int64
    /// Rows of a single sweep that say `accepted`. This and the three below are 0 for several sweeps.
    package var accepted: Int = 0
    /// `rejected` or `deferred`.
    package var refused: Int = 0
    /// `unknown`.
    package var unknown: Int = 0
    /// `dropped` or `skipped`.
    package var unsent: Int = 0
}
