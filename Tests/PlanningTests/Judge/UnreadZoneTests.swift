import Fixtures
import APNs
import Glibc
import Policy
import Store
import Testing
import TimeZones

@testable import Planning

/// A zone whose file is there but can't be read now: nobody is decided without it.
@Suite struct UnreadZoneTests {
    typealias F = JudgeFixture
    private let inSlot = F.at("2026-11-20T01:00:00Z")

    /// Zone files of its own: `Asia/Tokyo` is a link to itself, which nobody can open (ELOOP), until it is mended.
    private final class Files {
        let folder: String
        let zones: ZoneDatabase

        init() throws {
            var template = Array("/tmp/nudged-zones-XXXXXX".utf8CString)
            try #require(mkdtemp(&template) != nil)
            folder = template.withUnsafeBufferPointer {
                String(decoding: $0.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            }
            try #require(mkdir("\(folder)/Asia", 0o700) == 0 && mkdir("\(folder)/Europe", 0o700) == 0)
            try #require(symlink("/usr/share/zoneinfo/Europe/Berlin", "\(folder)/Europe/Berlin") == 0)
            zones = ZoneDatabase(directory: folder)
            try breakTokyo()
        }

        func breakTokyo() throws {
            unlink("\(folder)/Asia/Tokyo")
            try #require(symlink("Tokyo", "\(folder)/Asia/Tokyo") == 0)
        }

        func mendTokyo() throws {
            unlink("\(folder)/Asia/Tokyo")
            try #require(symlink("/usr/share/zoneinfo/Asia/Tokyo", "\(folder)/Asia/Tokyo") == 0)
        }

        func judge() -> Judge {
            let rules = Rules.defaults
            return Judge(
                policy: Policy(rules: rules, zones: zones),
                lanes: LaneDirectory(standard: F.lane),
                messages: F.messages
            )
        }

        deinit {
            for path in ["Asia/Tokyo", "Europe/Berlin"] { unlink("\(folder)/\(path)") }
            for path in ["Asia", "Europe", ""] { rmdir("\(folder)/\(path)") }
        }
    }

    private static func number(_ judgement: Judgement) -> Int32? {
        if case .ask(let error) = judgement.verdict { return error.number }
        return nil
    }

    @Test func judge_whenTheZoneCannotBeRead_decidesNothing() throws {
        let files = try Files()
        // Berlin's slot would be due at 09:00 UTC, and the slots of three days went by.
        let user = F.user(fingerprint: 7, askedAt: F.at("2026-11-17T00:00:00Z"), timezone: "Europe/Berlin")
        for now in [inSlot, F.at("2026-11-20T09:00:00Z"), F.at("2026-11-20T16:00:00Z")] {
            let judgement = files.judge().judge(user, now: now)
            #expect(Self.number(judgement) == ELOOP, "\(judgement.verdict)")
            #expect(judgement.records.isEmpty && judgement.notices.isEmpty)
        }
    }

    @Test func judge_whenTheZoneCanBeReadAgain_decidesAsEver() throws {
        let files = try Files()
        let user = F.user(askedAt: F.at("2026-11-17T00:00:00Z"))
        #expect(Self.number(files.judge().judge(user, now: inSlot)) == ELOOP)
        try files.mendTokyo()
        let judgement = files.judge().judge(user, now: inSlot)
        #expect(judgement.turn?.slot == F.date("2026-11-20"))
        #expect(judgement.records == F.judge().judge(user, now: inSlot).records && judgement.records.count == 3)
    }

    @Test func judge_whenAnEarlierNameIsReadOrALaterOneIsNeeded_asksForThatOnly() throws {
        let files = try Files()
        let berlin = #"{"check_ins_enabled":true,"frequency":"daily","timezone":"Europe/Berlin"}"#
        let first = files.judge().judge(F.user(preferences: berlin, timezone: "Asia/Tokyo"), now: inSlot)
        #expect(first.reason == .notDue && first.notices.isEmpty, "a zone that isn't needed holds nobody")
        let mars = #"{"check_ins_enabled":true,"frequency":"daily","timezone":"Mars/Base"}"#
        let second = files.judge().judge(F.user(preferences: mars, timezone: "Asia/Tokyo"), now: inSlot)
        #expect(Self.number(second) == ELOOP)
        let none = files.judge().judge(F.user(preferences: mars), now: inSlot)
        #expect(none.reason == .timezoneUnresolved && none.notices.map(\.value.event) == ["timezone"])
    }

    /// The answer has come: it is recorded, whatever the zone's file says.
    @Test func settle_whenTheZoneCannotBeRead_recordsAndAsksInAMinute() throws {
        let files = try Files()
        try files.mendTokyo()
        let nudge = try #require(files.judge().judge(F.user(), now: inSlot).turn)
        try files.breakTokyo()
        // As a daemon whose cache is empty meets it; a reload itself would keep what was read.
        let judge = Judge(
            policy: Policy(rules: .defaults, zones: ZoneDatabase(directory: files.folder)),
            lanes: LaneDirectory(standard: F.lane),
            messages: F.messages
        )
        let settled = judge.settle(nudge, outcomes: [.accepted], attemptedAt: inSlot, now: inSlot)
        #expect(settled.records.map(\.outcome) == [.accepted])
        #expect(settled.update.history.checkIns.map(\.slot) == [nudge.slot])
        #expect((60..<120).contains(settled.update.dueAt - inSlot))
    }
}
