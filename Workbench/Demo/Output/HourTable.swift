/// One line an hour, in columns.
struct HourTable: Sendable {
    /// The numbers of one hour.
    struct Line: Sendable, Equatable {
        /// Pushes that Apple accepted in that hour.
        var sent = 0
        /// People at its end who are awake and wait for their next check-in.
        var waiting = 0
        /// People at its end in their quiet hours.
        var quiet = 0
        /// Pushes recorded as rejected in that hour.
        var rejected = 0
        /// Tokens deleted in that hour.
        var tokensDeleted = 0
    }

    let paint: Paint

    private static let columns = [9, 10, 10, 11, 17]

    var head: String {
        paint("  UTC  " + Self.row(["sent", "waiting", "quiet", "rejected", "tokens deleted"]), .bold)
    }

    /// - Parameter secondOfDay: the hour's start, in seconds of the UTC day.
    func line(_ line: Line, secondOfDay: Int) -> String {
        "  \(Wishes.wallTime(secondOfDay / 60))" + Self.row(Self.numbers(line))
    }

    /// The sums. People are not summed.
    func total(_ total: Line) -> String {
        var numbers = Self.numbers(total)
        numbers[1] = ""
        numbers[2] = ""
        return paint("  a day" + Self.row(numbers), .bold)
    }

    private static func numbers(_ line: Line) -> [String] {
        [line.sent, line.waiting, line.quiet, line.rejected, line.tokensDeleted].map(Columns.grouped)
    }

    private static func row(_ cells: [String]) -> String {
        zip(cells, columns).map { Columns.right($0, $1) }.joined()
    }
}
