/// How many of so many sizes there were: Prometheus' histogram.
public struct Histogram: Sendable, Equatable {
    /// The upper bounds of its buckets, rising; what is larger goes to the last, `+Inf`.
    public let bounds: [Double]
    /// By bucket, each for itself; one more than the bounds.
    public private(set) var counts: [Int]
    /// Of all that was observed.
    public private(set) var sum = 0.0

    /// Nothing observed yet.
    public init(bounds: [Double]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    /// Counts one.
    public mutating func observe(_ value: Double) {
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        sum += value
    }

    /// As the format wants them: each bucket with all that are smaller, then sum and count.
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
