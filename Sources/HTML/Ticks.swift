/// The marks of an axis of counts: from zero in equal, round steps (1, 2 or 5 times a power of ten) to the first that is not below the greatest value.
public struct Ticks: Sendable, Equatable {
    /// The marks, ascending; the first is 0. At least two.
    public let values: [Int]

    /// - Parameters:
    ///   - greatest: the greatest value that is drawn; below 1 counts as 1.
    ///   - wanted: about how many steps, 1 or more; there are at most so many, and one more.
    public init(covering greatest: Int, wanted: Int) {
        // Counts of pushes end far below; the bound keeps the sums from overflowing.
        let greatest = min(max(greatest, 1), Int.max / 16)
        let step = Self.step(atLeast: (greatest + max(wanted, 1) - 1) / max(wanted, 1))
        values = (0...((greatest + step - 1) / step)).map { $0 * step }
    }

    /// What the axis reaches to.
    public var top: Int { values[values.count - 1] }

    /// Where a value stands, 0 to 1.
    public func fraction(_ value: Double) -> Double { min(max(value / Double(top), 0), 1) }

    /// The smallest round step that is not below.
    private static func step(atLeast least: Int) -> Int {
        var power = 1
        while true {
            for factor in [1, 2, 5] where factor * power >= least { return factor * power }
            power *= 10
        }
    }
}
