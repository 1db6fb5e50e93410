import NudgedPreferences
import Policy
import Testing
import TestSupport
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// What `nudged report` counts, on a real record.
@Suite(.ownThreads) struct ReportReaderTests {
    private static let start = Instant(rfc3339: "2026-03-20T00:00:00Z") ?? Instant(seconds: 0)
    private static let end = start + 14 * 86_400

    /// One row of the record.
    private struct Row {
        var user = 1
        var kind = "message"
        var slot: String?
        var outcome = "accepted"
        var reason: String?
        var status: Int?
        var at: Instant
        var sweep = 1
        /// The key, if several rows are of one nudge.
        var key: String?
        var template: Int?
        /// The user's local weekday, 1 to 7, and time.
        var local: (day: Int, time: String)?

        var localMinute: Int? {
            local.map { day, time in (day - 1) * 1440 + (Int(time.prefix(2)) ?? 0) * 60 + (Int(time.suffix(2)) ?? 0) }
        }
    }

    private func record(_ fixture: F, _ rows: [Row]) throws {
        let values = rows.enumerated().map { place, row in
            """
            ('\(F.user(row.user).uuidString)', '\(row.kind)', '\(row.key ?? "\(place)")', \(row.slot.map { "date '\($0)'" } ?? "null::date"), 'd\(place)', '\(row.outcome)', \
            \(row.reason.map { "'\($0)'" } ?? "null"), \(row.status.map { "\($0)" } ?? "null")::smallint, timestamptz '\(row.at.rfc3339)', \
            '00000000-0000-4000-8000-\(String(repeating: "0", count: 12 - String(row.sweep).count))\(row.sweep)'::uuid, \
            \(row.template.map { "\($0)" } ?? "null"), \(row.localMinute.map { "\($0)" } ?? "null")::smallint)
            """
        }
        try fixture.sql(
            "insert into nudged.delivery (user_id, kind, key, slot, device_hash, outcome, reason, status, attempted_at, sweep_id, template, local_minute) values \(values.joined(separator: ",\n"))"
        )
    }

    private func profile(_ fixture: F, _ user: Int, zone: String?, preferences: String = "{}") throws {
        try fixture.sql(
            """
            insert into public.context_profiles (user_id, notification_preferences, first_session_complete, timezone)
            values ('\(F.user(user).uuidString)', '\(preferences)', true, \(zone.map { "'\($0)'" } ?? "null"))
            """
        )
    }

    @Test func deliveries_areCountedByStretchAndWhatTheySay() async throws {
        let fixture = try await F()
        let at = Self.start + 7200
        try record(
            fixture,
            [
                Row(at: Self.start), Row(at: at - 1), Row(at: at), Row(kind: "check_in", at: at),
                Row(outcome: "rejected", reason: "Unregistered", status: 410, at: at),
                Row(outcome: "rejected", reason: "Unregistered", status: 410, at: at + 1),
                Row(outcome: "rejected", reason: "deadbeef0123 secret", status: 400, at: at),
                Row(kind: "newer", outcome: "skipped", at: at),
                Row(at: Self.start - 1), Row(at: Self.end),
            ]
        )
        let counts = try await fixture.store.reporting {
            try await $0.deliveries(in: Self.start..<Self.end, stretch: 7200)
        }
        let first = Self.start.seconds / 7200
        #expect(
            counts == [
                DeliveryCount(stretch: first, kind: "message", outcome: .accepted, count: 2),
                DeliveryCount(
                    stretch: first + 1,
                    kind: "message",
                    outcome: .rejected,
                    reason: "Unregistered",
                    isGone: true,
                    count: 2
                ),
                DeliveryCount(stretch: first + 1, kind: "check_in", outcome: .accepted, count: 1),
                DeliveryCount(stretch: first + 1, kind: "message", outcome: .accepted, count: 1),
                DeliveryCount(stretch: first + 1, kind: "message", outcome: .rejected, reason: "other", count: 1),
                DeliveryCount(stretch: first + 1, kind: "other", outcome: .skipped, count: 1),
            ]
        )
    }

    @Test func sweeps_areCountedBySizeAndTheLargestNamed() async throws {
        let fixture = try await F()
        try record(
            fixture,
            (0..<4).map { Row(at: Self.start + Int64($0), sweep: 1) }
                + (0..<7).map { Row(at: Self.start + Int64($0 * 10), sweep: 2) }
                + (0..<60).map {
                    Row(
                        outcome: $0 < 50 ? "accepted" : $0 < 55 ? "deferred" : "unknown",
                        at: Self.start + 100 + Int64($0),
                        sweep: 3
                    )
                }
                + [Row(outcome: "skipped", at: Self.start + 300, sweep: 3)]
        )
        let counts = try await fixture.store.reporting {
            try await $0.sweeps(in: Self.start..<Self.end, least: 20, most: 5)
        }
        #expect(
            counts.filter { $0.began == nil }.sorted { $0.size.rawValue < $1.size.rawValue } == [
                SweepCount(size: .fewerThan5, sweeps: 1, records: 4, seconds: 3),
                SweepCount(size: .fewerThan50, sweeps: 1, records: 7, seconds: 60),
                SweepCount(size: .fewerThan500, sweeps: 1, records: 61, seconds: 200),
            ]
        )
        #expect(
            counts.filter { $0.began != nil } == [
                SweepCount(
                    began: Self.start + 100,
                    size: .fewerThan500,
                    sweeps: 1,
                    records: 61,
                    seconds: 200,
                    accepted: 50,
                    refused: 5,
                    unknown: 5,
                    unsent: 1
                )
            ]
        )
    }

    // MARK: Local hours

    private func hours(_ fixture: F, rules: Rules = .defaults) async throws -> [HourCount] {
        try await accepted(fixture, rules: rules).hours
    }

    private func accepted(
        _ fixture: F,
        rules: Rules = .defaults
    ) async throws -> (hours: [HourCount], people: PeopleReached) {
        try await fixture.store.reporting { try await $0.hours(in: Self.start..<Self.end, rules: rules) }
    }

    /// A user who travels has gone on to Tokyo, and one has deleted the profile. A push without a zone has no hour.
    @Test func hours_areThoseOfTheRecord_whateverTheZoneOfNow() async throws {
        let fixture = try await F()
        try profile(fixture, 1, zone: "Asia/Tokyo")
        let at = Self.start + 12 * 3600
        try record(
            fixture,
            [
                Row(user: 1, at: at, local: (3, "00:00")), Row(user: 1, at: at, local: (7, "23:59")),
                Row(user: 2, at: at, local: (1, "09:30")), Row(user: 1, at: at),
                Row(user: 1, outcome: "rejected", at: at, local: (1, "09:30")),
            ]
        )
        let counts = try await hours(fixture)
        #expect(counts.map { $0.hour ?? -1 }.sorted() == [-1, 0, 9, 23] && counts.allSatisfy { $0.count == 1 })
    }

    @Test(arguments: [
        (#"{}"#, "21:59", false, false), ("{}", "22:00", false, true), ("{}", "07:59", false, true),
        ("{}", "08:00", false, false),
        (#"{"quiet_hours_start": "09:30", "quiet_hours_end": "10:15"}"#, "10:14", true, true),
        (#"{"quiet_hours_start": "09:30", "quiet_hours_end": "10:15"}"#, "10:15", true, false),
        (#"{"quiet_hours_start": "09:30", "quiet_hours_end": "10:15"}"#, "23:00", true, false),
        (#"{"quiet_hours_start": "09:00", "quiet_hours_end": "09:00"}"#, "09:00", true, false),
        // One half is none; nor is what is no time.
        (#"{"quiet_hours_start": "09:00"}"#, "23:00", false, true),
        (#"{"quiet_hours_start": "9:00", "quiet_hours_end": "24:00"}"#, "23:00", false, true),
        (#"{"quiet_hours_start": 9, "quiet_hours_end": {}}"#, "23:00", false, true), ("null", "23:00", false, true),
        (#""text""#, "12:00", false, false),
    ]) func hours_whenTheyAreQuiet_saySo(preferences: String, time: String, isOwn: Bool, isQuiet: Bool) async throws {
        let fixture = try await F()
        try profile(fixture, 1, zone: "UTC", preferences: preferences)
        try record(fixture, [Row(at: Self.start, local: (3, time))])
        let counts = try await hours(fixture)
        #expect(counts.map(\.hasOwnQuietHours) == [isOwn] && counts.map(\.isQuiet) == [isQuiet])
    }

    /// The slot is of Wednesday 25 March, Sunday 29 March or Monday 30 March. Its time is 10:00, unless the user chose one.
    @Test(arguments: [
        ("{}", "2026-03-25", 3, "10:00", HourCount.Lateness.withinOneMinute), ("{}", "2026-03-25", 3, "09:59", .early),
        ("{}", "2026-03-25", 3, "10:01", .withinFiveMinutes), ("{}", "2026-03-25", 3, "10:05", .withinAQuarter),
        ("{}", "2026-03-25", 3, "10:15", .withinAnHour), ("{}", "2026-03-25", 3, "13:59", .withinFourHours),
        ("{}", "2026-03-25", 3, "14:00", .later), ("{}", "2026-03-25", 2, "10:00", .early),
        ("{}", "2026-03-25", 1, "10:00", .later), ("{}", "2026-03-29", 1, "00:10", .later),
        ("{}", "2026-03-30", 7, "23:59", .early),
        (#"{"check_in_time": "23:30"}"#, "2026-03-25", 3, "23:31", .withinFiveMinutes),
        (#"{"check_in_time": "23:30"}"#, "2026-03-29", 1, "00:05", .withinAnHour),
        (#"{"check_in_time": "25:00"}"#, "2026-03-25", 3, "23:31", nil),
    ])
    func lateness_isFromTheSlotsTime(
        preferences: String,
        slot: String,
        day: Int,
        time: String,
        lateness: HourCount.Lateness?
    ) async throws {
        let fixture = try await F()
        try profile(fixture, 1, zone: "Europe/Berlin", preferences: preferences)
        let local = (day, time)
        try record(
            fixture,
            [Row(kind: "check_in", slot: slot, at: Self.start, local: local), Row(at: Self.start, local: local)]
        )
        let counts = try await hours(fixture)
        #expect(counts.first { $0.kind == "check_in" }?.lateness == lateness)
        #expect(counts.contains { $0.kind == "message" && $0.lateness == nil })
        // With jitter, lateness needs the user's own time.
        let spread = try await hours(fixture, rules: Rules { $0.spreadMinutes = 60 })
        #expect(spread.first { $0.kind == "check_in" }?.lateness == (preferences == "{}" ? nil : lateness))
    }

    // MARK: What users did

    @Test func opens_areCountedByTemplateHourAndWeekday() async throws {
        let fixture = try await F()
        let (monday, sunday) = ((day: 1, time: "09:59"), (day: 7, time: "10:00"))
        func row(_ outcome: String, _ key: String, _ template: Int, _ local: (day: Int, time: String)) -> Row {
            Row(kind: "check_in", outcome: outcome, at: Self.start + 60, key: key, template: template, local: local)
        }
        try record(
            fixture,
            [
                // Two devices got the first, and it was opened twice.
                row("accepted", "a", 1, monday), row("accepted", "a", 1, monday), row("opened", "a", 1, monday),
                row("opened", "a", 1, monday), row("helpful", "a", 1, monday), row("accepted", "b", 2, sunday),
                row("unknown", "c", 2, monday), row("unhelpful", "c", 2, monday), row("rejected", "d", 2, monday),
                // It was sent before.
                Row(kind: "check_in", at: Self.start - 1, key: "e"),
                Row(kind: "check_in", outcome: "opened", at: Self.start, key: "e"),
            ]
        )
        let counts = try await fixture.store.reporting { try await $0.opens(in: Self.start..<Self.end) }
        func count(_ part: OpenCount.Part?, _ value: Int, _ counts: [Int]) -> OpenCount {
            OpenCount(
                kind: "check_in",
                part: part,
                value: value,
                sent: counts[0],
                // All are of one user.
                users: 1,
                opened: counts[1],
                rated: counts[2],
                raters: min(counts[2], 1),
                helpful: counts[3]
            )
        }
        #expect(
            counts == [
                count(nil, 0, [3, 1, 2, 1]), count(.hour, 9, [2, 1, 2, 1]), count(.hour, 10, [1, 0, 0, 0]),
                count(.template, 1, [1, 1, 1, 1]), count(.template, 2, [2, 0, 1, 0]),
                count(.weekday, 1, [2, 1, 2, 1]), count(.weekday, 7, [1, 0, 0, 0]),
            ]
        )
    }

    /// Users 1 to 3 have check-ins (one is only ever active), 4 and 5 have none, 6 was in both groups, 7 is in neither.
    @Test func holdout_countsEachUserOnce_andWhomTheAppSaw() async throws {
        let fixture = try await F()
        func skipped(_ user: Int, _ reason: String) -> Row {
            Row(user: user, kind: "check_in", outcome: "skipped", reason: reason, at: Self.start)
        }
        try record(
            fixture,
            [
                Row(user: 1, kind: "check_in", at: Self.start), Row(user: 1, kind: "check_in", at: Self.start),
                Row(user: 2, kind: "check_in", outcome: "unknown", at: Self.start), skipped(3, "active"),
                skipped(4, "holdout"), skipped(4, "holdout"), skipped(5, "holdout"),
                skipped(6, "holdout"), Row(user: 6, kind: "check_in", at: Self.start),
                skipped(7, "stale"), Row(user: 7, at: Self.start),
                Row(user: 8, kind: "check_in", at: Self.start - 1),
            ]
        )
        let seen = [(1, Self.start), (2, Self.start - 1), (3, Self.end), (5, Self.start), (6, Self.start)]
        for (user, at) in seen {
            try fixture.sql("insert into nudged.seen values ('\(F.user(user).uuidString)', '\(at.rfc3339)')")
        }
        let counts = try await fixture.store.reporting {
            try await $0.holdout(in: Self.start..<Self.end, since: Self.start)
        }
        #expect(counts.with == SeenCount(users: 3, seen: 2) && counts.without == SeenCount(users: 2, seen: 1))
    }

    @Test func people_areThoseWithAnAcceptedPush_eachOnce() async throws {
        let fixture = try await F()
        try profile(fixture, 1, zone: "UTC")
        // User 3 has no profile, and the push was accepted all the same.
        try record(
            fixture,
            [
                Row(user: 1, at: Self.start), Row(user: 1, at: Self.start + 60),
                Row(user: 1, kind: "check_in", at: Self.start + 60), Row(user: 2, kind: "check_in", at: Self.end - 1),
                Row(user: 3, kind: "newer", at: Self.start), Row(user: 4, outcome: "rejected", at: Self.start),
                Row(user: 5, kind: "reminder", outcome: "unknown", at: Self.start), Row(user: 6, at: Self.end),
                Row(user: 7, at: Self.start - 1),
            ]
        )
        let counts = try await accepted(fixture)
        #expect(counts.people == PeopleReached(all: 3, byKind: ["check_in": 2, "message": 1, "other": 1]))
        // Rows of users are none of the hours.
        #expect(counts.hours.reduce(0) { $0 + $1.count } == 5)
    }

    @Test func people_whenNothingWasAccepted_areNone() async throws {
        let fixture = try await F()
        try record(fixture, [Row(outcome: "rejected", at: Self.start)])
        let counts = try await accepted(fixture)
        #expect(counts.people == PeopleReached() && counts.hours.isEmpty)
    }

    @Test func reader_readsOneInstantAndChangesNothing() async throws {
        let fixture = try await F()
        try record(fixture, [Row(at: Self.start)])
        let counts = try await fixture.store.reporting { reader in
            _ = try await reader.clock()
            try record(fixture, [Row(user: 2, at: Self.start)])
            return try await reader.deliveries(in: Self.start..<Self.end, stretch: 3600)
        }
        #expect(counts.map(\.count) == [1])
    }

    @Test func retention_isTheSettings() async throws {
        let fixture = try await F()
        var found: [Int] = []
        // Without its row nothing is dropped.
        for change in ["", "update nudged.setting set retention_days = 7", "delete from nudged.setting"] {
            if !change.isEmpty { try fixture.sql(change) }
            found.append(try await fixture.store.reporting { try await $0.retentionDays() })
        }
        #expect(found == [90, 7, 36_500])
    }
}
