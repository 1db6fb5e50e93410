/// A metric with all its samples of one moment.
public struct MetricFamily: Sendable, Equatable {
    /// What kind of number it is.
    public enum Kind: String, Sendable, CaseIterable {
        /// Only grows; begins at 0 with the process.
        case counter
        /// Goes up and down.
        case gauge
        /// Counts by size.
        case histogram
    }

    /// `nudged_…`, with its unit at the end.
    public let name: String
    /// What kind of number it is.
    public let kind: Kind
    /// What it says, in a sentence.
    public let help: String
    /// Empty: nothing is known of it now, and nothing is shown.
    public let samples: [MetricSample]

    /// All parts.
    public init(_ name: String, _ kind: Kind, help: String, _ samples: [MetricSample]) {
        self.name = name
        self.kind = kind
        self.help = help
        self.samples = samples
    }
}
