/// One line of a metric: a value with its labels.
public struct MetricSample: Sendable, Equatable {
    /// What follows the metric's name: empty, or a histogram's `_bucket`, `_sum` or `_count`.
    public let suffix: String
    /// In the order in which they are shown.
    public let labels: [MetricLabel]
    /// The value, in the metric's unit.
    public let value: Double

    /// Creates a sample.
    public init(_ value: Double, _ labels: [MetricLabel] = [], suffix: String = "") {
        self.suffix = suffix
        self.labels = labels
        self.value = value
    }
}
