import Base
package import Configuration
import Core
import JSON
import Policy
import Service
import TimeZones

import struct FoundationEssentials.UUID

package struct Forecast: CommandOutput {
    let hours: Int
    let tally: ForecastTally
    let paused: Set<NudgeKind>
    var asksService = false
    var gaps: [String] = []

    package var users: Int { tally.users }
    package var pushes: Int { tally.pushes }

    package func text(on screen: Screen) -> String {
        let pushes = Elapsed.counted(tally.pushes, "push", "pushes")
        let due = Elapsed.counted(tally.users, "user is due", "users are due")
        var lines = ["from \(tally.start.rfc3339) for \(hours) h: \(pushes); \(due)", ""]
        lines += chart(width: min(screen.width, 120), hasBlocks: screen.hasBlocks)
        lines += table("pushes by kind", Self.kinds(tally.pushesByKind))
        lines += table("users who at least once get nothing when they are due, by reason", Self.reasons(tally.resting))
        lines += table("slots and devices that are skipped, by reason", Self.counts(tally.skipped))
        lines += table("messages and reminders that are dropped, by reason", Self.counts(tally.dropped))
        return (lines + remarks.flatMap { ["", $0] }).joined(separator: "\n")
    }

    private var remarks: [String] {
        func uncounted(_ count: Int, _ why: String) -> [String] {
            "not counted: \(Elapsed.counted(count, "user", "users")) \(why)".when(count > 0)
        }
        let names = paused.map(\.rawValue).sorted().joined(separator: ", ")
        return "paused: \(names); the forecast assumes that the pause lasts".when(!paused.isEmpty)
            + "a decision service is configured; the forecast assumes that it allows everything".when(asksService)
            + gaps.map(\.printable) + uncounted(tally.unread, "whose time zone's file can't be read")
            + uncounted(tally.unreadable, "whose row in nudged.person can't be read")
    }

    private func chart(width: Int, hasBlocks: Bool) -> [String] {
        let most = Double(max(1, tally.hours.map(\.allPushes).max() ?? 1))
        let room = Double(max(10, width - 32))
        let lines = tally.hours.enumerated().map { place, hour in
            let (from, count) = (tally.beginning(of: place).rfc3339, Elapsed.grouped(hour.allPushes))
            let weekday = LocalDate(iso: String(from.prefix(10))).map(InstantText.weekday) ?? ""
            let label = "\(weekday.prefix(3)) \(from.dropFirst(5).prefix(5)) \(from.dropFirst(11).prefix(5))"
            let lead = label + "".padded(14 - count.count) + count
            guard hour.allPushes > 0 else { return lead }
            return "\(lead)  \(Self.bar(Double(hour.allPushes) / most * room, hasBlocks: hasBlocks))"
        }
        return ["hour (UTC)              pushes"] + lines
    }

    /// Block characters have eighths of a column. A bar of one push must be visible.
    private static func bar(_ columns: Double, hasBlocks: Bool) -> String {
        guard hasBlocks else { return String(repeating: "#", count: max(1, Int(columns.rounded()))) }
        let eighths = max(1, Int((columns * 8).rounded()))
        return String(repeating: "█", count: eighths / 8) + ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
    }

    private func table(_ title: String, _ rows: Counts) -> [String] {
        let lines = rows.filter { $0.count > 0 }.map { name, number in
            let count = Elapsed.grouped(number)
            return "  " + name.padded(28 - count.count) + count
        }
        return lines.isEmpty ? [] : ["", title] + lines
    }

    /// `resting` counts users at the top, and evaluations in an hour.
    package var json: String {
        let hours = tally.hours.enumerated().map { place, hour -> Fields in
            [
                "from": tally.beginning(of: place), "pushes": hour.allPushes,
                "by_kind": Fields(Self.kinds(hour.pushes)), "resting": Fields(Self.reasons(hour.rests)),
                "skipped": hour.skipped,
            ]
        }
        return Fields.text([
            "from": tally.start, "hours": self.hours, "users": tally.users, "nudges": tally.nudges,
            "pushes": tally.pushes, "unread": tally.unread, "unreadable": tally.unreadable,
            "by_kind": Fields(Self.kinds(tally.pushesByKind)), "resting": Fields(Self.reasons(tally.resting)),
            "skipped": Fields(Self.counts(tally.skipped)), "dropped": Fields(Self.counts(tally.dropped)),
            "paused": paused.map(\.rawValue).sorted(), "decision_service": asksService, "gaps": gaps,
            "by_hour": hours,
        ])
    }

    /// In the order of the cases, or of the names.
    private typealias Counts = [(name: String, count: Int)]

    private static func kinds(_ counts: [NudgeKind: Int]) -> Counts {
        NudgeKind.allCases.map { ($0.rawValue, counts[$0] ?? 0) }
    }

    private static func counts(_ counts: [String: Int]) -> Counts { counts.sorted { $0.key < $1.key }.map { ($0, $1) } }

    private static func reasons(_ counts: [Reason: Int]) -> Counts {
        Reason.allCases.compactMap { reason in counts[reason].map { (reason.rawValue, $0) } }
    }

    /// How many hours can be forecast. Changes that nobody can know decide what comes later.
    package static let hours = 1...168

    /// Users of a page, and pages that are evaluated beside the one that is read. Together they bound the memory.
    private static let page = 2_000
    private static let pagesAtOnce = 3

    /// Runs the policy forward for every user who will be due, on one snapshot of the database. It writes nothing.
    package static func read(hours: Int, _ config: Configuration, onProgress: @escaping Progress) async throws -> Self {
        let planner = try Assembly(config, zones: ZoneDatabase()).planner
        return try await DatabaseAccess(config).withStore {
            try await read(hours: hours, planner: planner, store: $0, onProgress: onProgress)
        }
    }

    static func read(
        hours: Int,
        planner: Planner,
        store: Store,
        now: Instant? = nil,
        onProgress: @escaping Progress = { _, _ in }
    ) async throws -> Forecast {
        try await store.reading { reader in
            let clock = Instant(seconds: try await reader.clock() / 1_000_000)
            let start = now ?? clock
            var planner = planner
            planner.paused = try await reader.paused()
            planner.checkInTexts = CheckInTexts(templates: try await reader.templates())
            let future = FutureUser(planner: planner, start: start, end: start + Int64(hours) * 3600)
            let fanOuts = try await FutureFanOuts(reader, planner: planner, start: start, end: future.end)
            let tally = try await walk(reader, future, fanOuts, onProgress: onProgress)
            let (paused, asks) = (planner.paused, planner.asksService)
            return Forecast(hours: hours, tally: tally, paused: paused, asksService: asks, gaps: fanOuts.gaps)
        }
    }

    /// Reads users range by range along the claim's index. The database reads a page while earlier pages are evaluated.
    private static func walk(
        _ reader: SnapshotReader,
        _ future: FutureUser,
        _ fanOuts: FutureFanOuts,
        onProgress: Progress
    ) async throws -> ForecastTally {
        try await withThrowingTaskGroup(of: ForecastTally.self) { group in
            let empty = ForecastTally(start: future.start, end: future.end)
            var total = empty
            var open = 0
            var fanOuts = fanOuts
            func plan(_ claimed: [ClaimedUser], _ unreadable: Int) async throws {
                let users = fanOuts.take(for: claimed)
                total.unreadable += unreadable
                if open >= pagesAtOnce, let tally = try await group.next() {
                    total.add(tally)
                    open -= 1
                }
                group.addTask {
                    var tally = empty
                    for user in users { future.run(user, into: &tally) }
                    return tally
                }
                open += 1
            }
            let (now, last) = (future.start, future.end - 1)
            var waiting: UUID? = Store.firstUser
            while let user = waiting {
                let page = try await reader.waiting(after: user, until: last, now: now, limit: Self.page)
                waiting = page.next
                try await plan(page.users, page.unreadable)
            }
            for (done, range) in SnapshotReader.ranges.enumerated() {
                var next: Cursor? = .start
                while let cursor = next {
                    try Task.checkCancellation()
                    let page = try await reader.due(in: range, after: cursor, until: last, now: now, limit: Self.page)
                    next = page.next
                    try await plan(page.users, page.unreadable)
                }
                onProgress(done + 1, SnapshotReader.ranges.count)
            }
            // Users who are due only because of a fan-out.
            var told = Array(fanOuts.reminders.keys)[...]
            while !told.isEmpty {
                let page = try await reader.users(Array(told.prefix(Self.page)), until: last, now: now)
                told = told.dropFirst(Self.page)
                try await plan(page.users, page.unreadable)
            }
            for try await tally in group { total.add(tally) }
            return total
        }
    }
}
