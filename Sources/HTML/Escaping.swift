/// The one place where text becomes markup.
enum Escaping {
    /// Good for element content and for values in double quotes. Characters that no HTML document may hold (the control characters, HTML 13.1.4) become spaces.
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
