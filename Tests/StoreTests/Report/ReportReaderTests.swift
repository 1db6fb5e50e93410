import NudgedPreferences
import Policy
import Postgres
import Seeded
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
    }

    private func record(_ fixture: F, _ rows: [Row]) throws {
        let values = rows.enumerated().map { place, row in
            """
            ('\(F.user(row.user).uuidString)', '\(row.kind)', '\(place)', \(row.slot.map { "date '\($0)'" } ?? "null::date"), 'd\(place)', '\(row.outcome)', \
            \(row.reason.map { "'\($0)'" } ?? "null"), \(row.status.map { "\($0)" } ?? "null")::smallint, timestamptz '\(row.at.rfc3339)', \
            '00000000-0000-4000-8000-\(String(repeating: "0", count: 12 - String(row.sweep).count))\(row.sweep)'::uuid)
            """
        }
        try fixture.sql(
            "insert into nudged.delivery (user_id, kind, key, slot, device_hash, outcome, reason, status, attempted_at, sweep_id) values \(values.joined(separator: ",\n"))"
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
            try await $0.deliveries(from: Self.start, until: Self.end, stretch: 7200)
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
        await fixture.store.close()
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
            try await $0.sweeps(from: Self.start, until: Self.end, least: 20, most: 5)
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
        await fixture.store.close()
    }

    // MARK: Local hours

    private func hours(_ fixture: F, rules: Rules = .defaults) async throws -> [HourCount] {
        try await accepted(fixture, rules: rules).hours
    }

    private func accepted(
        _ fixture: F,
        rules: Rules = .defaults
    ) async throws -> (hours: [HourCount], people: PeopleReached) {
        let zones = ZoneDatabase()
        var offsets: [ZoneOffset] = []
        for name in zones.names {
            guard let zone = try zones.zone(named: name) else { continue }
            // By the hour: no other reader of the zones' transitions is trusted here.
            var start = Self.start
            while start < Self.end {
                offsets.append(
                    ZoneOffset(name: name, from: start, until: start + 3600, seconds: Int32(zone.offset(at: start)))
                )
                start = start + 3600
            }
        }
        let all = offsets.reduce(into: [ZoneOffset]()) { merged, next in
            if let last = merged.last, last.name == next.name, last.seconds == next.seconds {
                merged[merged.count - 1].until = next.until
            } else {
                merged.append(next)
            }
        }
        return try await fixture.store.reporting {
            try await $0.hours(from: Self.start, until: Self.end, offsets: all, rules: rules)
        }
    }

    /// Berlin, New York and Lord Howe change their clocks in that time or not; Kolkata and Kathmandu stand between hours.
    @Test func hours_whateverTheZone_areThoseOfTheUsersClock() async throws {
        let fixture = try await F()
        let names = [
            "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe",
            "Pacific/Apia", "UTC",
        ]
        let zones = ZoneDatabase()
        var generator = SplitMix64(seed: Seeds.extra)
        var expected: [Int: Int] = [:]
        var rows: [Row] = []
        for (user, name) in names.enumerated() {
            // The preferences' zone comes before the profile's.
            let isOwn = user.isMultiple(of: 2)
            try profile(
                fixture,
                user + 1,
                zone: isOwn ? "Asia/Tokyo" : name,
                preferences: isOwn ? #"{"timezone": "\#(name)"}"# : "{}"
            )
            let zone = try #require(try zones.zone(named: name))
            for _ in 0..<80 {
                let at = Self.start + Int64.random(in: 0..<(Self.end - Self.start), using: &generator)
                rows.append(Row(user: user + 1, at: at))
                expected[zone.localTime(at: at).secondOfDay / 3600, default: 0] += 1
            }
        }
        try record(fixture, rows)
        let counts = try await hours(fixture)
        var found: [Int: Int] = [:]
        for count in counts { found[count.hour ?? -1, default: 0] += count.count }
        #expect(found == expected, "seed \(Seeds.extra)")
        await fixture.store.close()
    }

    @Test func hours_whenAZoneIsBad_takeTheNextOrNone() async throws {
        let fixture = try await F()
        let noon = Self.start + 12 * 3600
        try profile(fixture, 1, zone: "Mars/Base", preferences: #"{"timezone": "UTC+3"}"#)
        try profile(fixture, 2, zone: "Asia/Tokyo", preferences: #"{"timezone": "europe/berlin"}"#)
        try profile(fixture, 3, zone: nil, preferences: "[1]")
        try record(
            fixture,
            [1, 2, 3, 4].map { Row(user: $0, at: noon) } + [Row(user: 2, outcome: "rejected", at: noon)]
        )
        var counts = try await hours(fixture)
        #expect(
            counts.filter { $0.hour == nil }.map(\.count) == [3] && counts.filter { $0.hour != nil }.map(\.hour) == [21]
        )
        counts = try await hours(fixture, rules: Rules { $0.defaultTimezone = "America/New_York" })
        // Nobody is left but the user who is gone.
        #expect(counts.first { $0.hour == nil }?.count == 1 && counts.first { $0.hour == 8 }?.count == 2)
        await fixture.store.close()
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
    ])
    func hours_whenTheyAreQuiet_saySo(preferences: String, time: String, isOwn: Bool, isQuiet: Bool) async throws {
        let fixture = try await F()
        try profile(fixture, 1, zone: "UTC", preferences: preferences)
        try record(fixture, [Row(at: try #require(Instant(rfc3339: "2026-03-25T\(time):00Z")))])
        let counts = try await hours(fixture)
        #expect(counts.map(\.hasOwnQuietHours) == [isOwn] && counts.map(\.isQuiet) == [isQuiet])
        await fixture.store.close()
    }

    /// 10:00 in Berlin is 09:00Z in winter; on 29 March the clocks change.
    @Test(arguments: [
        ("{}", "2026-03-25", "2026-03-25T09:00:00Z", HourCount.Lateness.withinOneMinute),
        ("{}", "2026-03-25", "2026-03-25T08:59:59Z", .early),
        ("{}", "2026-03-25", "2026-03-25T09:01:00Z", .withinFiveMinutes),
        ("{}", "2026-03-25", "2026-03-25T09:14:59Z", .withinAQuarter),
        ("{}", "2026-03-25", "2026-03-25T09:15:00Z", .withinAnHour),
        ("{}", "2026-03-25", "2026-03-25T12:59:59Z", .withinFourHours),
        ("{}", "2026-03-25", "2026-03-25T13:00:00Z", .later),
        ("{}", "2026-03-30", "2026-03-30T08:00:30Z", .withinOneMinute),
        (#"{"check_in_time": "23:30"}"#, "2026-03-25", "2026-03-25T22:31:00Z", .withinFiveMinutes),
        (#"{"check_in_time": "25:00"}"#, "2026-03-25", "2026-03-25T22:31:00Z", nil),
    ])
    func lateness_isFromTheSlotsTime(preferences: String, slot: String, at: String, lateness: HourCount.Lateness?)
        async throws
    {
        let fixture = try await F()
        try profile(fixture, 1, zone: "Europe/Berlin", preferences: preferences)
        let instant = try #require(Instant(rfc3339: at))
        try record(fixture, [Row(kind: "check_in", slot: slot, at: instant), Row(kind: "message", at: instant)])
        let counts = try await hours(fixture)
        #expect(counts.first { $0.kind == "check_in" }?.lateness == lateness)
        #expect(counts.contains { $0.kind == "message" && $0.lateness == nil })
        // With jitter, lateness needs the user's own time.
        let spread = try await hours(fixture, rules: Rules { $0.spreadMinutes = 60 })
        #expect(spread.first { $0.kind == "check_in" }?.lateness == (preferences == "{}" ? nil : lateness))
        await fixture.store.close()
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
        await fixture.store.close()
    }

    @Test func people_whenNothingWasAccepted_areNone() async throws {
        let fixture = try await F()
        try record(fixture, [Row(outcome: "rejected", at: Self.start)])
        let counts = try await accepted(fixture)
        #expect(counts.people == PeopleReached() && counts.hours.isEmpty)
        await fixture.store.close()
    }

    @Test func reader_readsOneInstantAndChangesNothing() async throws {
        let fixture = try await F()
        try record(fixture, [Row(at: Self.start)])
        let counts = try await fixture.store.reporting { reader in
            _ = try await reader.clock()
            try record(fixture, [Row(user: 2, at: Self.start)])
            return try await reader.deliveries(from: Self.start, until: Self.end, stretch: 3600)
        }
        #expect(counts.map(\.count) == [1])
        await fixture.store.close()
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
        await fixture.store.close()
    }
}
