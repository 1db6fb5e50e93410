import Policy
import Seeded
@testable import Core
import Testing
import TestSupport
import TimeZones

@testable import Operator

@Suite struct ReportTests {
    private typealias F = ReportFixture

    @Test(arguments: Seeds.all) func sums_whateverIsCounted_agree(seed: UInt64) {
        let report = F.full(seed: seed)
        #expect(report.all > 0 && report.all == report.stretches.reduce(0) { $0 + $1.all })
        for outcome in DeliveryRecord.Outcome.allCases {
            let drawn = report.stretches.reduce(0) {
                $0 + (outcome == .accepted ? $1.accepted.reduce(0, +) : $1.others[outcome] ?? 0)
            }
            #expect(report.count(outcome) == drawn)
            #expect(report.reasons(of: [outcome]).reduce(0) { $0 + $1.count } == drawn)
        }
        let local = report.local
        #expect(local.placed == local.withOwnQuietHours + local.withDefaultQuietHours)
        #expect(
            local.inOwnQuietHours <= local.withOwnQuietHours && local.inDefaultQuietHours <= local.withDefaultQuietHours
        )
    }

    @Test func deliveries_areCountedWhereTheyBelong() {
        let report = F.report(
            deliveries: [
                DeliveryCount(stretch: F.stretch(0), kind: "check_in", outcome: .accepted, count: 10),
                DeliveryCount(stretch: F.stretch(83), kind: "message", outcome: .accepted, count: 7),
                DeliveryCount(stretch: F.stretch(83), kind: "newer", outcome: .accepted, count: 3),
                DeliveryCount(
                    stretch: F.stretch(5),
                    kind: "reminder",
                    outcome: .rejected,
                    reason: "Unregistered",
                    isGone: true,
                    count: 6
                ),
                DeliveryCount(stretch: F.stretch(84), kind: "reminder", outcome: .accepted, count: 999),
                DeliveryCount(stretch: F.stretch(-1), kind: "reminder", outcome: .accepted, count: 999),
            ]
        )
        #expect(report.stretches[0].accepted == [10, 0, 0, 0] && report.stretches[83].accepted == [0, 7, 0, 3])
        #expect(report.stretches[5].others == [.rejected: 6] && report.gone == 6)
        #expect(report.all == 26 && report.firstRecorded == report.window.from)
        #expect(report.reasonedOutcomes[Report.ReasonedOutcome(outcome: .rejected, reason: "Unregistered")] == 6)
    }

    @Test func hours_areCountedWhereTheyBelong() {
        let report = F.report(
            hours: [
                HourCount(hour: 9, kind: "check_in", lateness: .withinOneMinute, count: 10),
                HourCount(hour: 23, kind: "message", hasOwnQuietHours: true, isQuiet: true, count: 5),
                HourCount(hour: 8, kind: "message", hasOwnQuietHours: true, count: 6),
                HourCount(hour: 2, kind: "reminder", isQuiet: true, count: 7),
                HourCount(hour: nil, kind: "check_in", count: 8),
                HourCount(hour: 10, kind: "check_in", lateness: .early, count: 9),
                HourCount(hour: 10, kind: "check_in", lateness: .later, count: 11),
            ]
        )
        #expect(report.local.hours[9] == [10, 0, 0, 0] && report.local.hours[10] == [20, 0, 0, 0])
        #expect(report.local.inOwnQuietHours == 5 && report.local.withOwnQuietHours == 11)
        #expect(report.local.inDefaultQuietHours == 7 && report.local.withDefaultQuietHours == 37)
        #expect(report.local.unplaced == 8 && report.untimed == 8)
        #expect(report.lateness == [9, 10, 0, 0, 0, 0, 11])
    }

    @Test func sweeps_areKeptBySizeAndOneByOne() {
        let large = SweepCount(began: F.now, size: .fewerThan500, sweeps: 1, records: 300, seconds: 4, accepted: 300)
        let report = F.report(sweeps: [SweepCount(size: .fewerThan5, sweeps: 9, records: 20, seconds: 1), large])
        #expect(report.sweepSizes[0]?.sweeps == 9 && report.sweepSizes[2] == nil && report.largestSweeps == [large])
    }

    @Test(arguments: [
        "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Africa/Casablanca", "Australia/Lord_Howe", "UTC",
    ])
    func offsets_ofAZone_areThoseOfEachInstant(name: String) throws {
        let zone = try #require(try ZoneDatabase().zone(named: name))
        let (from, until) = (F.now - 366 * 86_400, F.now)
        let stretches = ZoneOffset.stretches(of: zone, from: from, until: until)
        #expect(stretches.first?.from == from && stretches.last?.until == until)
        #expect(zip(stretches, stretches.dropFirst()).allSatisfy { $0.until == $1.from && $0.seconds != $1.seconds })
        var generator = SplitMix64(seed: 7)
        for _ in 0..<1000 {
            let instant = from + Int64.random(in: 0..<(until - from), using: &generator)
            let found = stretches.filter { $0.from <= instant && instant < $0.until }
            #expect(found.map { Int($0.seconds) } == [zone.offset(at: instant)], "\(name) \(instant.rfc3339)")
        }
    }

    @Test func offsets_ofTheDatabase_areEveryZone() throws {
        let zones = ZoneDatabase()
        let offsets = try ZoneOffset.all(of: zones, from: F.now - 86_400, until: F.now)
        #expect(Set(offsets.map(\.name)) == Set(zones.names) && offsets.count >= 400)
    }
}
