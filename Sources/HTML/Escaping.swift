/// The only place that turns text into markup.
enum Escaping {
    /// Escapes text for element content and for values in double quotes. Control characters, which HTML does not allow
    /// (HTML, 13.1.4), become spaces.
    static func write(_ text: String, to markup: inout String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": markup += "&amp;"
            case "<": markup += "&lt;"
            case ">": markup += "&gt;"
            case "\"": markup += "&quot;"
            case "'": markup += "&#39;"
            case "\n", "\t": markup.unicodeScalars.append(scalar)
            default:
                let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
                markup.unicodeScalars.append(isControl ? " " : scalar)
            }
        }
    }
}
