/// A metric with all its samples at one moment.
public struct MetricFamily: Sendable, Equatable {
    /// The metric's type in Prometheus.
    public enum Kind: String, Sendable, CaseIterable {
        /// A number that only grows. It starts at 0 with the process.
        case counter
        /// A number that goes up and down.
        case gauge
        /// Counts of values by bucket.
        case histogram
    }

    /// The name, `nudged_…`, with the unit at its end.
    public let name: String
    /// The metric's type.
    public let kind: Kind
    /// What the metric means, in one sentence.
    public let help: String
    /// Empty if nothing is known now. Then the metric is not shown.
    public let samples: [MetricSample]

    /// Creates a metric.
    public init(_ name: String, _ kind: Kind, help: String, _ samples: [MetricSample]) {
        self.name = name
        self.kind = kind
        self.help = help
        self.samples = samples
    }
}
