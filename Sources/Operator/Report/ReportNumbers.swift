import Service

package enum ReportNumbers: Sendable {
    case exact
    /// A count is 0, `1–4`, or the nearest multiple of five, as statistical offices round. Sums are rounded
    /// separately, so a single push never shows. Bars are drawn from the rounded values.
    case rounded

    /// A count's text, and its value for lengths of bars, which is 2.5 for `1–4`.
    func count(_ count: Int) -> (text: String, value: Double) {
        let number = shown(count)
        return isSmall(count) ? ("1–4", 2.5) : (Elapsed.grouped(number), Double(number))
    }

    /// Whole per cent that add up to 100 (largest remainder), such as `75 %`. All parts `under 1 %` are one part in
    /// that sum. Shares are of the counts as shown. Nil: all counts of 1 to 4 together could be one per cent or more,
    /// so shares could contradict the counts.
    func shares(of parts: [Int]) -> [String]? {
        let counts: [Double] = parts.map { isSmall($0) ? 0 : Double(shown($0)) }
        let sum = counts.reduce(0, +)
        let small = parts.filter { isSmall($0) }.count
        guard sum > 0, small == 0 || Double(small * 4) * 100 < sum else { return nil }
        let isTiny = zip(parts, counts).map { part, count in part > 0 && count * 100 < sum }
        let isOnlyOne = parts.filter { $0 > 0 }.count == 1
        let large: [Double] = zip(counts, isTiny).map { count, isTiny in isTiny ? 0 : count }
        // The last one stands for all tiny parts.
        return zip(isTiny, Self.percents(large + [sum - large.reduce(0, +)], of: sum)).map { isTiny, percent in
            if isTiny { return "under 1 %" }
            return percent == 100 && !isOnlyOne ? "over 99 %" : "\(percent) %"
        }
    }

    /// `34 % (29 to 39 %)`: the share and its 95 % interval (Wilson's, as nudged.share_bounds), of the counts as shown.
    /// The interval is of `users`, who tried: ten tries of one user say little about the others.
    func share(of hits: Int, in tries: Int, users: Int) -> (text: String, range: ClosedRange<Double>)? {
        guard tries > 0, !isSmall(hits), !isSmall(tries), !isSmall(users) else { return nil }
        let n = Double(shown(users))
        let share = Double(shown(hits)) / Double(shown(tries))
        let (z, width) = (1.96, 1 + 1.96 * 1.96 / n)
        let middle = (share + z * z / (2 * n)) / width
        let reach = z * (share * (1 - share) / n + z * z / (4 * n * n)).squareRoot() / width
        let range = max(middle - reach, 0) * 100...min(middle + reach, 1) * 100
        let numbers = [share * 100, range.lowerBound, range.upperBound].map { Int($0.rounded()) }
        return ("\(numbers[0]) % (\(numbers[1]) to \(numbers[2]) %)", range)
    }

    /// Whole percentages that add up to 100: each is rounded down, and the largest remainders get one more.
    private static func percents(_ counts: [Double], of sum: Double) -> [Int] {
        let exact = counts.map { $0 * 100 / sum }
        var percents = exact.map { Int($0) }
        let remainders = exact.map { $0 - $0.rounded(.down) }
        // The first of equal remainders comes first.
        let places = percents.indices.sorted { (remainders[$1], $0) < (remainders[$0], $1) }
        for place in places.prefix(max(0, 100 - percents.reduce(0, +))) { percents[place] += 1 }
        return percents
    }

    private func isSmall(_ count: Int) -> Bool { self == .rounded && (1...4).contains(count) }

    private func shown(_ count: Int) -> Int {
        let count = max(count, 0)
        return self == .exact || count > Int.max - 2 ? count : (count + 2) / 5 * 5
    }
}
