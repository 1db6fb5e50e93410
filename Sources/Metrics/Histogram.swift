/// A Prometheus histogram: counts of observed values by bucket.
public struct Histogram: Sendable, Equatable {
    /// The buckets' upper bounds, ascending. Larger values count in one more bucket, `+Inf`.
    public let bounds: [Double]
    /// The count of each bucket alone, not cumulative. One more than `bounds`.
    public private(set) var counts: [Int]
    /// The sum of all observed values.
    public private(set) var sum = 0.0

    /// - Parameter bounds: the buckets' upper bounds, ascending.
    public init(bounds: [Double]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    /// Counts one value. A value equal to a bound belongs to that bound's bucket.
    public mutating func observe(_ value: Double) {
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        sum += value
    }

    /// The samples of the text format: cumulative buckets, then sum and count.
    public var samples: [MetricSample] {
        var samples: [MetricSample] = []
        var total = 0
        for (bound, count) in zip(bounds + [.infinity], counts) {
            total += count
            samples.append(
                MetricSample(Double(total), [MetricLabel("le", Exposition.number(bound))], suffix: "_bucket")
            )
        }
        return samples + [MetricSample(sum, suffix: "_sum"), MetricSample(Double(total), suffix: "_count")]
    }
}
