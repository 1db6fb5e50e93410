/// A bar of pushes for each local hour, and a gauge of how many people sleep then.
struct LocalHourChart: Sendable {
    let width: Int
    let hasBlocks: Bool
    let paint: Paint

    /// Columns of the gauge.
    private static let gauge = 10

    func lines(_ hours: LocalHours) -> [String] {
        let most = hours.sends.max() ?? 0
        let room = max(10, width - 37)
        let head = paint(
            "  local  " + Columns.left("asleep", Self.gauge) + Columns.right("sent", 7) + Columns.right("woken", 8),
            .bold
        )
        return [head]
            + (0..<24).map { hour in
                let share = hours.people > 0 ? Double(hours.asleep[hour]) / Double(hours.people) : 0
                let asleep = Columns.left(gauge(share), Self.gauge)
                let sent = hours.sends[hour]
                let bar = bar(Double(sent) / Double(max(most, 1)) * Double(room), isAny: sent > 0)
                let woken = Columns.right(Columns.grouped(hours.wokenByHour[hour]), 8)
                let line =
                    "  \(Wishes.wallTime(hour * 60))  \(paint(asleep, .blue))" + Columns.right(Columns.grouped(sent), 7)
                    + (hours.wokenByHour[hour] > 0 ? paint(woken, .red) : woken)
                return bar.isEmpty ? line : "\(line)  \(paint(bar, .green))"
            }
    }

    private func gauge(_ share: Double) -> String {
        String(repeating: hasBlocks ? "░" : ".", count: Int((share * Double(Self.gauge)).rounded()))
    }

    /// Blocks show eighths of a column. One push is never drawn as none.
    private func bar(_ columns: Double, isAny: Bool) -> String {
        guard isAny else { return "" }
        guard hasBlocks else { return String(repeating: "#", count: max(1, Int(columns.rounded()))) }
        let eighths = max(1, Int((columns * 8).rounded()))
        let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
        return String(repeating: "█", count: eighths / 8) + rest
    }
}
