import Service
import JSON
import Policy
import TimeZones

/// What would be sent when.
package struct Forecast: Sendable {
    let hours: Int
    let tally: ForecastTally
    let paused: Set<NudgeKind>
    /// Whether a decision service is asked of what the rules allow; the forecast takes it to allow everything.
    var asksService = false
    /// What could not be read, in words.
    var gaps: [String] = []

    /// Users who are asked in that time.
    package var users: Int { tally.users }
    /// All pushes.
    package var pushes: Int { tally.pushes }

    /// Hours, bars and sums, without a newline at the end.
    ///
    /// - Parameters:
    ///   - width: columns.
    ///   - hasBlocks: whether block characters are understood; else `#`.
    package func words(width: Int, hasBlocks: Bool) -> String {
        var lines = [
            "from \(tally.start.rfc3339) for \(hours) h: \(Elapsed.grouped(tally.pushes)) pushes; \(Elapsed.grouped(tally.users)) users are asked",
            "",
        ]
        lines += chart(width: min(width, 120), hasBlocks: hasBlocks)
        let kinds = NudgeKind.allCases.enumerated().map { place, kind in
            (kind.rawValue, tally.hours.reduce(0) { $0 + $1.pushes[place] })
        }
        lines += table("pushes by kind", kinds)
        lines += table("users to whom at least once nothing is sent, by reason", reasons(tally.resting))
        lines += table("slots and devices that go by unsent, by reason", tally.skipped.sorted { $0.key < $1.key })
        lines += table("messages and reminders that end unsent, by reason", tally.dropped.sorted { $0.key < $1.key })
        if !paused.isEmpty {
            lines += [
                "",
                "paused: \(paused.map(\.rawValue).sorted().joined(separator: ", ")); the forecast takes the pause to last",
            ]
        }
        if asksService {
            lines += [
                "", "a decision service is configured: it is not asked here, and counted as if it allowed everything",
            ]
        }
        for gap in gaps { lines += ["", gap.printable] }
        if tally.unread > 0 {
            lines += ["", "\(tally.unread) users could not be decided: their zone's file can't be read"]
        }
        if tally.unreadable > 0 { lines += ["", "\(tally.unreadable) users' rows in nudged.person can't be read"] }
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

    /// Blocks know eighths of a column; one push is never drawn as none.
    private static func bar(_ columns: Double, hasBlocks: Bool, isAny: Bool) -> String {
        guard isAny else { return "" }
        guard hasBlocks else { return String(repeating: "#", count: max(1, Int(columns.rounded()))) }
        let eighths = max(1, Int((columns * 8).rounded()))
        return String(repeating: "█", count: eighths / 8) + ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
    }

    private func reasons(_ counts: [Int]) -> [(String, Int)] {
        zip(Reason.allCases, counts).map { ($0.rawValue, $1) }
    }

    /// Nothing where all are zero.
    private func table(_ title: String, _ rows: [(String, Int)]) -> [String] {
        let rows = rows.filter { $0.1 > 0 }
        guard !rows.isEmpty else { return [] }
        return ["", title]
            + rows.map { name, count in
                let text = Elapsed.grouped(count)
                return "  \(name)" + String(repeating: " ", count: max(1, 28 - name.count - text.count)) + text
            }
    }

    /// `{"from", "hours", "users", "nudges", "pushes", "by_kind", "resting", "skipped", "dropped", "paused", "decision_service", "gaps", "unread", "unreadable", "by_hour": [{"from", "pushes",
    /// "by_kind", "resting", "skipped"}]}`; `resting` counts users at the top, questions in an hour.
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
    /// A member that is an object of counts.
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
