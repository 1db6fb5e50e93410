import Fixtures
import APNs
import Glibc
import Policy
@testable import Core
import TestSupport
import Testing
import TimeZones

/// A zone whose file is there but can't be read now: nobody is decided without it.
@Suite struct UnreadZoneTests {
    typealias F = PlannerFixture
    private let inSlot = F.at("2026-11-20T01:00:00Z")

    /// Its own zone files: `Asia/Tokyo` is a link to itself, which nobody can open (ELOOP), until it is fixed.
    private final class Files {
        let folder: TemporaryFolder
        let zones: ZoneDatabase

        init() throws {
            folder = try TemporaryFolder()
            for name in ["Asia", "Europe"] { try #require(mkdir("\(folder.path)/\(name)", 0o700) == 0) }
            try #require(symlink("/usr/share/zoneinfo/Europe/Berlin", "\(folder.path)/Europe/Berlin") == 0)
            zones = ZoneDatabase(directory: folder.path)
            try breakTokyo()
        }

        private func linkTokyo(to target: String) throws {
            unlink("\(folder.path)/Asia/Tokyo")
            try #require(symlink(target, "\(folder.path)/Asia/Tokyo") == 0)
        }

        func breakTokyo() throws { try linkTokyo(to: "Tokyo") }
        func restoreTokyo() throws { try linkTokyo(to: "/usr/share/zoneinfo/Asia/Tokyo") }
        func planner() -> Planner { F.planner(zones: zones) }

        deinit { folder.remove() }
    }

    private static func number(_ plan: Plan) -> Int32? {
        if case .unreadable(.zone(let error)) = plan { return error.number }
        return nil
    }

    @Test func plan_whenTheZoneCannotBeRead_decidesNothing() throws {
        let files = try Files()
        // Berlin's slot would be due at 09:00 UTC, and the slots of three days went by.
        let user = F.user(fingerprint: 7, evaluatedAt: F.at("2026-11-17T00:00:00Z"), timezone: "Europe/Berlin")
        for now in [inSlot, F.at("2026-11-20T09:00:00Z"), F.at("2026-11-20T16:00:00Z")] {
            let plan = files.planner().plan(user, now: now)
            #expect(Self.number(plan) == ELOOP, "\(plan)")
            #expect(plan.records.isEmpty && plan.notices.isEmpty)
        }
    }

    @Test func plan_whenTheZoneCanBeReadAgain_decidesAsEver() throws {
        let files = try Files()
        let user = F.user(evaluatedAt: F.at("2026-11-17T00:00:00Z"))
        #expect(Self.number(files.planner().plan(user, now: inSlot)) == ELOOP)
        try files.restoreTokyo()
        let plan = files.planner().plan(user, now: inSlot)
        #expect(plan.sendPlan?.slot == F.date("2026-11-20"))
        #expect(plan.records == F.planner().plan(user, now: inSlot).records && plan.records.count == 3)
    }

    @Test func plan_whenAnEarlierNameIsReadOrALaterOneIsNeeded_asksForThatOnly() throws {
        let files = try Files()
        let berlin = #"{"check_ins_enabled":true,"frequency":"daily","timezone":"Europe/Berlin"}"#
        let first = files.planner().plan(F.user(preferences: berlin, timezone: "Asia/Tokyo"), now: inSlot)
        #expect(first.reason == .notDue && first.notices.isEmpty, "a zone that isn't needed holds nobody")
        let mars = #"{"check_ins_enabled":true,"frequency":"daily","timezone":"Mars/Base"}"#
        let second = files.planner().plan(F.user(preferences: mars, timezone: "Asia/Tokyo"), now: inSlot)
        #expect(Self.number(second) == ELOOP)
        let none = files.planner().plan(F.user(preferences: mars), now: inSlot)
        #expect(none.reason == .timezoneUnresolved && none.notices.map(\.value.event) == ["timezone"])
    }

    /// The plan holds the zone: what was answered is settled with it, whatever the file says by then.
    @Test func settle_whenTheZoneCannotBeReadAnyMore_isAsBefore() throws {
        let files = try Files()
        try files.restoreTokyo()
        let nudge = try #require(files.planner().plan(F.user(), now: inSlot).sendPlan)
        func settled(_ zones: ZoneDatabase) -> Change {
            F.planner(zones: zones).settle(nudge, outcomes: [.accepted], attemptedAt: inSlot, now: inSlot)
        }
        let usual = settled(files.zones)
        #expect(usual.records.first?.localMinute != nil)
        try files.breakTokyo()
        // As a daemon whose cache is empty meets it; a reload itself would keep what was read.
        #expect(settled(ZoneDatabase(directory: files.folder.path)) == usual)
    }
}
