import APNs
import Fixtures
import JSON
import Policy
@testable import Core
import Testing
import TimeZones

/// A badge that counts what the user has not seen: `"badge": "increment"`.
@Suite struct PlannerBadgeTests {
    typealias F = PlannerFixture
    typealias M = MessageFixture

    private let planner = F.planner()
    private let now = MessageFixture.now

    private static let counting = #"{"badge":"increment"}"#
    private let unavailable = PushOutcome.delayed(reason: "ServiceUnavailable", status: 503, retryAfter: nil)

    private func badge(_ nudge: PlannedNudge?) throws -> Int64? {
        guard case .int(let number)? = try M.payload(nudge)["aps"]?["badge"] else { return nil }
        return number
    }

    private func user(
        _ messages: [PendingMessage],
        _ unseen: UnseenPushes? = nil,
        seen: Instant? = nil,
        retry: String? = nil,
        devices: [Device] = [F.device(1)]
    ) -> ClaimedUser {
        var values = M.user(messages, retry: retry, history: History(unseen: unseen), devices: devices).values
        values.seen = seen
        return ClaimedUser(values)
    }

    private func counting(_ number: UInt8) -> PendingMessage { M.message(number, apns: Self.counting) }

    /// Each after those before it, and only what a device got stays counted.
    @Test func messages_whenTheyCount_countUp() throws {
        let known = UnseenPushes(count: 4, lastAt: now - 90)
        let messages = [counting(1), M.message(2), M.message(3, apns: #"{"badge":7}"#), counting(4)]
        let plan = try #require(planner.plan(user(messages, known), now: now).sendPlan)
        #expect(try plan.nudges.map(badge) == [5, nil, 7, 6])
        let accepted = [PushOutcome](repeating: .accepted, count: 4)
        let settled = planner.settle(plan, outcomes: accepted, attemptedAt: now, now: now + 1)
        #expect(settled.state.history.unseen == UnseenPushes(count: 6, lastAt: now))
        let refused = [.rejected(status: 400, reason: "BadTopic", deletes: nil)] + accepted.dropFirst()
        let fewer = planner.settle(plan, outcomes: refused, attemptedAt: now, now: now + 1)
        #expect(fewer.state.history.unseen == UnseenPushes(count: 5, lastAt: now))
        // Nothing is sent, and nothing is forgotten.
        #expect(planner.plan(user([], known), now: now).rest?.state.history.unseen == known)
    }

    /// A sight ends the count, also of what came within the next minute.
    @Test(arguments: [(nil, 5), (-61, 5), (-60, 1), (0, 1), (90, 1)] as [(Int64?, Int64)])
    func count_whenTheUserWasSeen_beginsAgain(after: Int64?, number: Int64) throws {
        let known = UnseenPushes(count: 4, lastAt: now - 90)
        let seen = after.map { now - 90 + $0 }
        let plan = try #require(planner.plan(user([counting(1)], known, seen: seen), now: now).sendPlan)
        #expect(try badge(plan.nudges.first) == number)
    }

    /// A clock that was wrong once must not keep the number for years.
    @Test func count_whenTheLastPushIsAhead_endsWithASight() throws {
        let known = UnseenPushes(count: 4, lastAt: now + 9_000_000)
        let plan = try #require(planner.plan(user([counting(1)], known, seen: now - 5), now: now).sendPlan)
        #expect(try badge(plan.nudges.first) == 1)
    }

    @Test func count_whenItIsTheLargest_stays() throws {
        let known = UnseenPushes(count: .max, lastAt: now - 90)
        let plan = try #require(planner.plan(user([counting(1)], known), now: now).sendPlan)
        #expect(try badge(plan.nudges.first) == 2_147_483_647)
        let settled = planner.settle(plan, outcomes: [.accepted], attemptedAt: now, now: now)
        #expect(settled.state.history.unseen?.count == .max)
    }

    /// The devices that follow get the same number, or what came since is in it.
    @Test(arguments: [true, false]) func devices_whenTheyFollow_countOnce(isAlone: Bool) throws {
        let two = [F.device(1), F.device(2)]
        let first = try #require(planner.plan(user([counting(1)], devices: two), now: now).sendPlan)
        let half = planner.settle(first, outcomes: [.accepted, unavailable], attemptedAt: now, now: now)
        #expect(half.state.history.unseen?.count == 1)
        var known = half.state.history
        if !isAlone { known.unseen?.count = 2 }
        let row = M.user([counting(1)], retry: half.retry, history: known, devices: two)
        let rest = try #require(planner.plan(row, now: now + 3600).sendPlan)
        #expect(try rest.pushCount == 1 && badge(rest.nudges.first) == (isAlone ? 1 : 2))
        let settled = planner.settle(rest, outcomes: [.accepted], attemptedAt: now + 3600, now: now + 3600)
        #expect(settled.state.history.unseen == known.unseen)
    }

    /// The user has looked meanwhile: what comes is new there, so the badge doesn't go.
    @Test func device_whenItFollowsASight_showsOne() throws {
        let two = [F.device(1), F.device(2)]
        let first = try #require(planner.plan(user([counting(1)], devices: two), now: now).sendPlan)
        let half = planner.settle(first, outcomes: [.accepted, unavailable], attemptedAt: now, now: now)
        let row = user([counting(1)], half.state.history.unseen, seen: now + 60, retry: half.retry, devices: two)
        #expect(try badge(planner.plan(row, now: now + 3600).sendPlan?.nudges.first) == 1)
    }

    @Test func message_whenNoDeviceGotIt_isNotCountedYet() throws {
        let plan = try #require(planner.plan(user([counting(1)]), now: now).sendPlan)
        let failed = planner.settle(plan, outcomes: [unavailable], attemptedAt: now, now: now)
        #expect(failed.state.history.unseen == nil && failed.retry != nil)
        let row = user([counting(1)], retry: failed.retry)
        #expect(try badge(planner.plan(row, now: now + 3600).sendPlan?.nudges.first) == 1)
    }

    /// Each counts, so a newer one replaces none.
    @Test func badgesAlone_whenTheyCount_areAllSent() throws {
        let alone = [UInt8(1), 2].map { M.message($0, "", body: "", apns: Self.counting) }
        let plan = try #require(planner.plan(user(alone), now: now).sendPlan)
        #expect(try plan.nudges.map(badge) == [1, 2] && plan.ended.isEmpty)
        #expect(String(decoding: plan.nudges[0].payload, as: UTF8.self).hasPrefix(#"{"aps":{"badge":1},"#))
    }

    @Test func digest_whenSomeCount_addsThem() throws {
        let (night, morning) = (F.at("2026-11-19T18:00:00Z"), F.at("2026-11-19T23:00:00Z"))
        let options = [Self.counting, nil, Self.counting, #"{"badge":9}"#]
        let nightly = options.enumerated().map { M.message(UInt8($0 + 1), created: night + Int64($0), apns: $1) }
        let row = user(nightly, UnseenPushes(count: 3, lastAt: night - 90))
        let plan = try #require(planner.plan(row, now: morning).sendPlan)
        #expect(try plan.nudges.map(badge) == [5])
        let settled = planner.settle(plan, outcomes: [.accepted], attemptedAt: morning, now: morning)
        #expect(settled.state.history.unseen?.count == 5)
    }

    /// Also with a text of the decision service.
    @Test(arguments: [true, false]) func checkIn_whenItsTemplateCounts_countsUp(isAsked: Bool) throws {
        var planner = planner
        planner.asksService = isAsked
        planner.checkInTexts = CheckInTexts(
            templates: [StoredTemplate(id: 1, title: "Hello", body: "How are you?", apns: Self.counting)]
        )
        let at = F.at("2026-11-20T01:30:00Z")
        let row = F.user(
            history: History(unseen: UnseenPushes(count: 2, lastAt: at - 90)),
            preferences: F.daily.replacing("{", with: #"{"smart_enabled":true,"#)
        )
        let plan = try #require(planner.plan(row, now: at).sendPlan)
        let nudge = try #require(plan.nudges.first)
        #expect(try badge(nudge) == 3 && nudge.isToBeAsked == isAsked)
        if isAsked {
            let answer = DecisionAnswer(shouldNotify: true, priority: .medium, reason: "", title: "Hi", body: nil)
            let decided = nudge.decided(DecisionOutcome(origin: .service, answer: answer), passesFocus: false)
            #expect(try badge(decided) == 3)
        }
        let settled = planner.settle(plan, outcomes: [.accepted], attemptedAt: at, now: at)
        #expect(settled.state.history.unseen == UnseenPushes(count: 3, lastAt: at))
    }
}
