import APNs
import Policy
import Store
import Testing
import TimeZones

@testable import Daemon

/// The kill switch in the decisions.
@Suite struct JudgePauseTests {
    typealias F = JudgeFixture

    private static func judge(_ paused: Set<NudgeKind>) -> Judge {
        var judge = F.judge()
        judge.paused = paused
        return judge
    }

    /// 10:30 in Tokyo, half an hour into the slot.
    private static let now = F.at("2026-05-06T01:30:00Z")
    private static let asked = F.at("2026-05-06T00:00:00Z")

    @Test func judge_whenCheckInsArePaused_rests() throws {
        let user = F.user(askedAt: Self.asked)
        #expect(F.judge().judge(user, now: Self.now).nudge != nil)
        #expect(Self.judge([.message, .reminder]).judge(user, now: Self.now).nudge != nil)
        let judgement = Self.judge([.checkIn]).judge(user, now: Self.now)
        #expect(judgement.reason == .paused)
        let rest = try #require(judgement.rest)
        #expect(rest.dueAt > Self.now && rest.dueAt <= Self.now + 86_400)
    }

    /// The slot of 10:00 ended at 14:00: whether or not the switch still holds, its record is there once.
    @Test func judge_whenASlotGoesByPaused_recordsIt() throws {
        let user = F.user(since: Self.asked - 86_400, fingerprint: nil, askedAt: Self.asked)
        for paused: Set<NudgeKind> in [[], [.checkIn]] {
            let judgement = Self.judge(paused).judge(user, now: F.at("2026-05-06T05:00:00Z"))
            #expect(judgement.records.map(\.key) == ["2026-05-06"])
            #expect(judgement.records.map(\.reason) == ["stale"] && judgement.records.first?.outcome == .skipped)
        }
    }

    private static func retry(counts: Bool) -> Retry {
        Retry(
            slot: F.date("2026-05-06"),
            validUntil: F.at("2026-05-06T05:00:00Z"),
            version: 1,
            attempt: 1,
            counts: counts,
            left: [.init(deviceHash: PushIdentity.deviceHash(token: F.token(1)), notBefore: now)]
        )
    }

    /// Devices that are left go on under the first answer, but not past the switch; what is left is kept for a resume.
    @Test(arguments: [true, false]) func judge_whenANudgeIsHalfSent_keepsWhatIsLeft(counts: Bool) throws {
        let own = CheckIn(at: Self.now - 900, slot: F.date("2026-05-06"))
        let user = F.user(
            askedAt: Self.now - 900,
            history: counts ? History().adding(own) : History(),
            retry: Self.retry(counts: counts),
            devices: [F.device(1), F.device(2)]
        )
        #expect(F.judge().judge(user, now: Self.now).nudge != nil)
        let judgement = Self.judge([.checkIn]).judge(user, now: Self.now)
        let rest = try #require(judgement.rest)
        #expect(rest.retry == Self.retry(counts: counts).json)
        #expect(rest.dueAt == Self.retry(counts: counts).validUntil)
        // Its answer has ended: what counts is recorded as skipped, and nothing is kept.
        let late = Self.judge([.checkIn]).judge(user, now: Self.retry(counts: counts).validUntil)
        #expect(late.rest?.retry == nil && late.reason == .paused)
        #expect(late.records.contains { $0.outcome == .skipped && $0.reason == "stale" })
    }
}
