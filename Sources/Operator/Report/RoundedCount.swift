import Service

/// A count that a report may show to others: 0, `1–4`, or the nearest multiple of five. Each count is rounded by
/// itself, sums too.
///
/// So a single push never shows. The difference between a sum and its parts gives only a range. Statistical offices
/// round to base 5 in the same way. Bars are drawn from the rounded values, so their length tells no more.
struct RoundedCount: Sendable, Equatable {
    /// The count as text.
    let words: String
    /// The value for lengths and shares. It is 2.5 for `1–4`.
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

    /// The share of a sum in whole per cent. Empty if the sum is below 5.
    func share(of sum: RoundedCount) -> String {
        guard sum.value >= 5 else { return "" }
        let share = min(value / sum.value, 1) * 100
        if value > 0, share < 1 { return "under 1 %" }
        return "\(Int(share.rounded())) %"
    }
}
