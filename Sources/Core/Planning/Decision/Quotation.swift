/// Removes quotations of a nudge's texts from a reason. The texts are deleted with the nudge, so the record must not
/// keep a copy.
///
/// Only letters and digits are compared, without case. A quotation is a shared run of 12 bytes in UTF-8, of four digits
/// (a code), or a whole text of four bytes or more. Bytes, because some scripts need few characters for a sentence.
enum Quotation {
    private static let longRun = 12
    private static let shortRun = 4

    /// A letter or digit, and its place in the reason.
    private typealias Mark = (scalar: Unicode.Scalar, place: Int)

    /// The reason with `…` in place of each quotation.
    static func masked(_ reason: String, of texts: [String]) -> String {
        let scalars = Array(reason.unicodeScalars)
        let marks = scalars.indices.flatMap { place in folded(scalars[place]).map { ($0, place) } }
        var isQuoted = Array(repeating: false, count: scalars.count)
        for text in texts {
            for run in runs(marks, in: text.unicodeScalars.flatMap(folded)) {
                for place in run { isQuoted[place] = true }
            }
        }
        guard isQuoted.contains(true) else { return reason }
        var out = String.UnicodeScalarView()
        for (place, scalar) in scalars.enumerated() {
            if !isQuoted[place] { out.append(scalar) } else if place == 0 || !isQuoted[place - 1] { out.append("…") }
        }
        return String(out)
    }

    /// Places of the reason that are also in the text, from a run's first letter to its last.
    private static func runs(_ marks: [Mark], in text: [Unicode.Scalar]) -> [ClosedRange<Int>] {
        guard !text.isEmpty else { return [] }
        var found: [ClosedRange<Int>] = []
        // For runs that end at the previous letter: their length, by the end in the text.
        var before = Array(repeating: 0, count: text.count)
        for (index, mark) in marks.enumerated() {
            var lengths = Array(repeating: 0, count: text.count)
            for end in text.indices where text[end] == mark.scalar {
                lengths[end] = (end > 0 ? before[end - 1] : 0) + 1
            }
            before = lengths
            let longest = lengths.max() ?? 0
            guard longest > 0, isQuotation(marks[(index + 1 - longest)...index], of: text) else { continue }
            found.append(marks[index + 1 - longest].place...mark.place)
        }
        return found
    }

    private static func isQuotation(_ run: ArraySlice<Mark>, of text: [Unicode.Scalar]) -> Bool {
        let bytes = run.reduce(0) { $0 + UTF8.width($1.scalar) }
        let digits = run.reversed().prefix { $0.scalar.properties.generalCategory == .decimalNumber }.count
        return bytes >= longRun || digits >= shortRun || (run.count == text.count && bytes >= shortRun)
    }

    /// In lower case. Empty for anything but a letter or digit.
    private static func folded(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        guard scalar.properties.isAlphabetic || scalar.properties.numericType != nil else { return [] }
        return Array(scalar.properties.lowercaseMapping.unicodeScalars)
    }
}
