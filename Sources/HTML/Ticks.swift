/// The marks of an axis of counts, from zero to the first mark that is not below the greatest value. All steps are
/// equal and round: 1, 2 or 5 times a power of ten.
public struct Ticks: Sendable, Equatable {
    /// The marks, ascending. The first is 0, and there are at least two.
    public let values: [Int]

    /// - Parameters:
    ///   - greatest: the greatest value that is drawn; a value below 1 counts as 1.
    ///   - wanted: the most steps, 1 or more. There is one mark more than steps.
    public init(covering greatest: Int, wanted: Int) {
        // The bound keeps the sums below from overflowing. Real counts are far smaller.
        let greatest = min(max(greatest, 1), Int.max / 16)
        let step = Self.step(atLeast: (greatest + max(wanted, 1) - 1) / max(wanted, 1))
        values = (0...((greatest + step - 1) / step)).map { $0 * step }
    }

    /// The last mark.
    public var top: Int { values[values.count - 1] }

    /// A value's position on the axis, from 0 to 1.
    public func fraction(_ value: Double) -> Double { min(max(value / Double(top), 0), 1) }

    /// The smallest round step that is at least this large.
    private static func step(atLeast least: Int) -> Int {
        var power = 1
        while true {
            for factor in [1, 2, 5] where factor * power >= least { return factor * power }
            power *= 10
        }
    }
}
