/// Prometheus' text format, version 0.0.4 ("Exposition formats" in Prometheus' documentation).
public enum Exposition {
    /// What HTTP calls it.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The page: each metric with its help and type once, in the order given; those without samples are left out.
    public static func text(_ families: [MetricFamily]) -> [UInt8] {
        var text = ""
        text.reserveCapacity(16_384)
        for family in families where !family.samples.isEmpty {
            text += "# HELP \(family.name) \(escaped(family.help))\n# TYPE \(family.name) \(family.kind.rawValue)\n"
            for sample in family.samples {
                text += family.name + sample.suffix
                if !sample.labels.isEmpty {
                    let labels = sample.labels.map { "\($0.name)=\"\(escaped($0.value, quote: true))\"" }
                    text += "{\(labels.joined(separator: ","))}"
                }
                text += " \(number(sample.value))\n"
            }
        }
        return Array(text.utf8)
    }

    /// As Go's ParseFloat reads it; whole numbers without a point.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return Int64(exactly: value).map(String.init) ?? "\(value)"
    }

    /// In help a backslash and a line's end are written with a backslash, in a label's value the quote as well.
    private static func escaped(_ text: String, quote: Bool = false) -> String {
        guard text.utf8.contains(where: { $0 == 0x5C || $0 == 0x0A || quote && $0 == 0x22 }) else { return text }
        var result = ""
        // Scalar by scalar: a carriage return and a line feed are one character.
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
