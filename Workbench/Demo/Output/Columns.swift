/// Numbers and text in columns of a fixed width.
enum Columns {
    /// `7912` as `7,912`.
    static func grouped(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return (number < 0 ? "-" : "") + text
    }

    /// `7` as `07`.
    static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }

    /// Right-aligned.
    static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    /// Left-aligned.
    static func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// A number with its noun: `1 push`, `2,000 pushes`.
    static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(grouped(number)) \(number == 1 ? one : many)"
    }

    /// Wraps a text at `width` columns. Every line but the first is indented by `indent` blanks.
    static func wrapped(_ text: String, width: Int, indent: Int = 0) -> String {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = String(repeating: " ", count: indent) + word
            } else {
                line += line.isEmpty ? String(word) : " \(word)"
            }
        }
        return (lines + [line]).joined(separator: "\n")
    }
}
