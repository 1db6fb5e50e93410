/// A weekday of a recurrence: each one, or a numbered one of the month.
public struct RecurrenceDay: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// 1 (Monday) to 7.
    public let weekday: Int
    /// Its number in the month: 1 to 5, or -1 (the last) to -5. nil: each.
    public let ordinal: Int?

    /// - Parameter weekday: 1 (Monday) to 7.
    init(_ weekday: Int, ordinal: Int? = nil) {
        self.weekday = weekday
        self.ordinal = ordinal
    }

    static let codes = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
    private static let names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

    /// Sorts by weekday: each one, then those from the month's start, then those from its end.
    public static func < (left: RecurrenceDay, right: RecurrenceDay) -> Bool {
        (left.weekday, left.place) < (right.weekday, right.place)
    }

    private var place: Int { ordinal.map { $0 > 0 ? $0 : 20 + $0 } ?? 0 }

    /// As RFC 5545 writes it: `MO`, `2MO`, `-1FR`.
    public var description: String { (ordinal.map(String.init) ?? "") + Self.codes[weekday - 1] }

    /// Such as `Mon`.
    var name: String { Self.names[weekday - 1] }
}
