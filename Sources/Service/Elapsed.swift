package enum Elapsed {
    /// `4 s`, `3 min`, `2 h`, `5 days`: rounded down to the largest unit with a count of at least two.
    package static func text(_ seconds: Int64) -> String {
        let seconds = max(0, seconds)
        if seconds < 120 { return "\(seconds) s" }
        if seconds < 7200 { return "\(seconds / 60) min" }
        if seconds < 172_800 { return "\(seconds / 3600) h" }
        return "\(grouped(Int(seconds / 86_400))) days"
    }

    /// `12,345`.
    package static func grouped(_ number: Int) -> String {
        let digits = Array(String(number.magnitude))
        var text = number < 0 ? "-" : ""
        for (place, digit) in digits.enumerated() {
            if place > 0, (digits.count - place).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return text
    }

    /// `1 push`, `12,345 pushes`.
    package static func counted(_ number: Int, _ one: String, _ many: String) -> String {
        number == 1 ? "1 \(one)" : "\(grouped(number)) \(many)"
    }

    /// A number that was counted only up to `most`.
    package static func capped(_ number: Int, _ most: Int) -> String {
        number >= most ? "\(grouped(most)) or more" : grouped(number)
    }
}
