/// Prometheus' text format, version 0.0.4 ("Exposition formats" in Prometheus' documentation).
public enum Exposition {
    /// The value of the `content-type` header.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The page in UTF-8: each metric with its help and type, in the given order. Metrics without samples are left out.
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
