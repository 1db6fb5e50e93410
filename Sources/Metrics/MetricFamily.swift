/// A metric with all its samples at one moment.
package struct MetricFamily: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// A number that only grows. It starts at 0 with the process.
        case counter
        case gauge
        case histogram
    }

    /// `nudged_…`, with the unit at its end (Prometheus, "Metric and label naming").
    package let name: String
    package let kind: Kind
    package private(set) var help = ""
    /// The labels' names: letters, digits and `_`. None is about a person.
    package let labels: [String]
    /// Empty if nothing is known now. Then the metric is not shown.
    package let samples: [MetricSample]

    package init(_ name: String, _ kind: Kind, labels: [String] = [], _ samples: [MetricSample]) {
        (self.name, self.kind, self.labels, self.samples) = (name, kind, labels, samples)
    }

    package func says(_ help: String) -> MetricFamily {
        var family = self
        family.help = help
        return family
    }

    /// Prometheus' text format, version 0.0.4 ("Exposition formats" in Prometheus' documentation).
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The page in UTF-8: each metric with its help and type, in the given order. Metrics without samples are left out.
    package static func page(_ families: [MetricFamily]) -> [UInt8] {
        var text = ""
        text.reserveCapacity(16_384)
        for family in families where !family.samples.isEmpty {
            text += "# HELP \(family.name) \(escaped(family.help))\n# TYPE \(family.name) \(family.kind.rawValue)\n"
            // The label of a histogram's buckets.
            let names = family.labels + (family.kind == .histogram ? ["le"] : [])
            for sample in family.samples {
                text += family.name + sample.suffix
                let labels = zip(names, sample.labels).map { "\($0)=\"\(escaped($1, quote: true))\"" }
                if !labels.isEmpty { text += "{\(labels.joined(separator: ","))}" }
                text += " \(number(sample.value))\n"
            }
        }
        return Array(text.utf8)
    }

    /// A number as Go's ParseFloat reads it. Whole numbers have no decimal point.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return Int64(exactly: value).map(String.init) ?? "\(value)"
    }

    /// Escapes backslash and newline with a backslash; in a label's value, the quote too.
    private static func escaped(_ text: String, quote: Bool = false) -> String {
        guard text.utf8.contains(where: { $0 == 0x5C || $0 == 0x0A || quote && $0 == 0x22 }) else { return text }
        var result = ""
        // By scalar: as a `Character`, a carriage return and a line feed are one.
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quote: result += "\\\""
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

/// One line of a metric: a value with its labels.
package struct MetricSample: Sendable {
    let value: Double
    /// The values of the family's labels, from a small set. Never a user id or a token.
    package let labels: [String]
    /// What follows the metric's name: empty, or a histogram's `_bucket`, `_sum` or `_count`.
    let suffix: String

    package init(_ value: Double, _ labels: [String] = [], suffix: String = "") {
        (self.value, self.labels, self.suffix) = (value, labels, suffix)
    }
}

/// A Prometheus histogram: counts of observed values by bucket.
package struct Histogram: Sendable {
    /// The buckets' upper bounds, ascending. Larger values count in one more bucket, `+Inf`.
    private let bounds: [Double]
    /// The count of each bucket alone, not cumulative. One more than `bounds`.
    package private(set) var counts: [Int]
    package private(set) var sum = 0.0

    package init(bounds: [Double]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    /// Counts one value. A value equal to a bound belongs to that bound's bucket.
    package mutating func observe(_ value: Double) {
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        sum += value
    }

    /// The samples of the text format: cumulative buckets, then sum and count.
    package var samples: [MetricSample] {
        var total = 0
        let buckets = zip(bounds + [.infinity], counts).map { bound, count in
            total += count
            return MetricSample(Double(total), [MetricFamily.number(bound)], suffix: "_bucket")
        }
        return buckets + [MetricSample(sum, suffix: "_sum"), MetricSample(Double(total), suffix: "_count")]
    }
}
