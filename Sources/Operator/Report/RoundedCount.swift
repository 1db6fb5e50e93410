import Service

/// A count as a report shows it, so that nobody can be read off a page that travels: 1 to 4 as just that, more rounded to fives, each count by itself, sums too.
///
/// So a single push shows nowhere, and subtracting what is shown from a sum that is shown gives a span, not a number; of a handful of rows a narrow one. It is the
/// rounding to base 5 of the statistical offices. Bars are drawn from what is shown: their length says no more.
struct RoundedCount: Sendable, Equatable {
    /// In words.
    let words: String
    /// For lengths and shares.
    let value: Double

    init(_ count: Int) {
        switch count {
        case ...0: (words, value) = ("0", 0)
        case 1...4: (words, value) = ("1–4", 2.5)
        default:
            let rounded = count > Int.max - 2 ? count : (count + 2) / 5 * 5
            (words, value) = (Elapsed.grouped(rounded), Double(rounded))
        }
    }

    /// Its share of a sum, in whole per cent; of nothing or of a few, empty.
    func share(of sum: RoundedCount) -> String {
        guard sum.value >= 5 else { return "" }
        let share = min(value / sum.value, 1) * 100
        if value > 0, share < 1 { return "under 1 %" }
        return "\(Int(share.rounded())) %"
    }
}
