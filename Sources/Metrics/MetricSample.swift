/// One line of a metric: what is measured now, under these labels.
public struct MetricSample: Sendable, Equatable {
    /// What follows the metric's name: nothing, or a histogram's `_bucket`, `_sum`, `_count`.
    public let suffix: String
    /// In the order in which they are shown.
    public let labels: [MetricLabel]
    /// In the metric's unit.
    public let value: Double

    /// All parts.
    public init(_ value: Double, _ labels: [MetricLabel] = [], suffix: String = "") {
        self.suffix = suffix
        self.labels = labels
        self.value = value
    }
}
