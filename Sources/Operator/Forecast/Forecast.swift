import Service
import JSON
import Policy
import Base
import TimeZones

/// What would be sent, by hour.
package struct Forecast: Sendable {
    let hours: Int
    let tally: ForecastTally
    let paused: Set<NudgeKind>
    /// Whether a decision service is configured. The forecast assumes that it allows everything.
    var asksService = false
    /// What could not be read, as text.
    var gaps: [String] = []

    /// Users who are due in that time.
    package var users: Int { tally.users }
    package var pushes: Int { tally.pushes }

    /// The pushes of each hour with a bar, then sums. Without a newline at the end.
    ///
    /// - Parameters:
    ///   - width: the terminal's columns.
    ///   - hasBlocks: whether block characters can be shown; else bars are of `#`.
    package func text(width: Int, hasBlocks: Bool) -> String {
        let pushes = Elapsed.counted(tally.pushes, "push", "pushes")
        let due = Elapsed.counted(tally.users, "user is due", "users are due")
        var lines = ["from \(tally.start.rfc3339) for \(hours) h: \(pushes); \(due)", ""]
        lines += chart(width: min(width, 120), hasBlocks: hasBlocks)
        let kinds = NudgeKind.allCases.enumerated().map { place, kind in
            (kind.rawValue, tally.hours.reduce(0) { $0 + $1.pushes[place] })
        }
        lines += table("pushes by kind", kinds)
        lines += table("users who at least once get nothing when they are due, by reason", reasons(tally.resting))
        lines += table("slots and devices that are skipped, by reason", tally.skipped.sorted { $0.key < $1.key })
        lines += table("messages and reminders that are dropped, by reason", tally.dropped.sorted { $0.key < $1.key })
        if !paused.isEmpty {
            let names = paused.map(\.rawValue).sorted().joined(separator: ", ")
            lines += ["", "paused: \(names); the forecast assumes that the pause lasts"]
        }
        if asksService {
            lines += [
                "", "a decision service is configured; the forecast assumes that it allows everything",
            ]
        }
        for gap in gaps { lines += ["", gap.printable] }
        if tally.unread > 0 {
            let users = Elapsed.counted(tally.unread, "user", "users")
            lines += ["", "not counted: \(users) whose time zone's file can't be read"]
        }
        if tally.unreadable > 0 {
            let users = Elapsed.counted(tally.unreadable, "user", "users")
            lines += ["", "not counted: \(users) whose row in nudged.person can't be read"]
        }
        return lines.joined(separator: "\n")
    }

    private func chart(width: Int, hasBlocks: Bool) -> [String] {
        let most = max(1, tally.hours.map(\.allPushes).max() ?? 1)
        let room = max(10, width - 32)
        let head = "hour (UTC)              pushes"
        return [head]
            + tally.hours.enumerated().map { place, hour in
                let count = Elapsed.grouped(hour.allPushes)
                let lead =
                    label(tally.beginning(of: place)) + String(repeating: " ", count: max(1, 14 - count.count)) + count
                let bar = Self.bar(
                    Double(hour.allPushes) / Double(most) * Double(room),
                    hasBlocks: hasBlocks,
                    isAny: hour.allPushes > 0
                )
                return bar.isEmpty ? lead : "\(lead)  \(bar)"
            }
    }

    private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

    private func label(_ instant: Instant) -> String {
        let text = instant.rfc3339
        let date = LocalDate(iso: String(text.prefix(10)))
        let weekday = date.map { Self.weekdays[$0.isoWeekday - 1] } ?? ""
        return "\(weekday) \(text.dropFirst(5).prefix(5)) \(text.dropFirst(11).prefix(5))"
    }

    /// Block characters have eighths of a column. A bar of one push must be visible.
    private static func bar(_ columns: Double, hasBlocks: Bool, isAny: Bool) -> String {
        guard isAny else { return "" }
        guard hasBlocks else { return String(repeating: "#", count: max(1, Int(columns.rounded()))) }
        let eighths = max(1, Int((columns * 8).rounded()))
        return String(repeating: "█", count: eighths / 8) + ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
    }

    private func reasons(_ counts: [Int]) -> [(String, Int)] {
        zip(Reason.allCases, counts).map { ($0.rawValue, $1) }
    }

    /// Empty if all counts are zero.
    private func table(_ title: String, _ rows: [(String, Int)]) -> [String] {
        let rows = rows.filter { $0.1 > 0 }
        guard !rows.isEmpty else { return [] }
        return ["", title]
            + rows.map { name, count in
                let text = Elapsed.grouped(count)
                return "  \(name)" + String(repeating: " ", count: max(1, 28 - name.count - text.count)) + text
            }
    }

    /// One object: `from`, `hours`, `users`, `nudges`, `pushes`, `unread`, `unreadable`, `by_kind`, `resting`,
    /// `skipped`, `dropped`, `paused`, `decision_service`, `gaps`, `by_hour`.
    ///
    /// `by_hour` is `[{"from", "pushes", "by_kind", "resting", "skipped"}]`. `resting` counts users at the top and
    /// evaluations in an hour.
    package var json: String {
        var json = JSONWriter()
        json.beginObject()
        json.put("from", tally.start.rfc3339)
        for (name, count) in [
            ("hours", hours), ("users", tally.users), ("nudges", tally.nudges), ("pushes", tally.pushes),
            ("unread", tally.unread), ("unreadable", tally.unreadable),
        ] {
            json.key(name)
            json.int(count)
        }
        let kinds = NudgeKind.allCases.indices.map { place in tally.hours.reduce(0) { $0 + $1.pushes[place] } }
        json.counts("by_kind", zip(NudgeKind.allCases.map(\.rawValue), kinds).map { ($0, $1) })
        json.counts("resting", reasons(tally.resting).filter { $0.1 > 0 })
        json.counts("skipped", tally.skipped.sorted { $0.key < $1.key })
        json.counts("dropped", tally.dropped.sorted { $0.key < $1.key })
        json.list("paused", paused.map(\.rawValue).sorted()) { kind, json in json.string(kind) }
        json.key("decision_service")
        json.bool(asksService)
        json.list("gaps", gaps) { gap, json in json.string(gap) }
        json.list("by_hour", Array(tally.hours.enumerated())) { hour, json in
            json.beginObject()
            json.put("from", tally.beginning(of: hour.offset).rfc3339)
            json.key("pushes")
            json.int(hour.element.allPushes)
            json.counts("by_kind", zip(NudgeKind.allCases.map(\.rawValue), hour.element.pushes).map { ($0, $1) })
            json.counts("resting", reasons(hour.element.rests).filter { $0.1 > 0 })
            json.key("skipped")
            json.int(hour.element.skipped)
            json.endObject()
        }
        json.endObject()
        return json.string
    }
}

extension JSONWriter {
    /// Writes a member whose value is an object of counts.
    fileprivate mutating func counts(_ key: String, _ counts: [(String, Int)]) {
        self.key(key)
        beginObject()
        for (name, count) in counts {
            self.key(name)
            int(count)
        }
        endObject()
    }
}
