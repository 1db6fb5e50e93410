import Fixtures
import APNs
import Policy
@testable import Core
import Testing
import TimeZones

/// What becomes of a nudge whose devices Apple refuses.
@Suite struct PlannerQuarantineTests {
    typealias F = PlannerFixture
    private let planner = F.planner()
    private let slot = F.date("2026-11-20")
    private let now = F.at("2026-11-20T01:00:00Z")
    private let suspect = PushOutcome.suspect(status: 400, reason: "BadDeviceToken")

    private func hash(_ number: Int) -> String { PushIdentity.deviceHash(token: F.token(number)) }

    /// The column as `Query.quarantine` writes it.
    private func quarantine(_ devices: [Device], lane: LaneIdentity = F.lane, at: String = "2026-11-20T01:01:00Z")
        -> String
    {
        let items = devices.map { device in
            let registration = device.registration.map(String.init) ?? "null"
            return
                #"{"device":"\#(PushIdentity.deviceHash(token: device.token))","environment":"\#(lane.environment)","#
                + #""topic":"\#(lane.topic)","registered_at":\#(registration),"at":"\#(at)","reason":"BadDeviceToken"}"#
        }
        return "[\(items.joined(separator: ","))]"
    }

    private func settle(_ user: ClaimedUser, _ outcomes: [PushOutcome]) throws -> Change {
        let nudge = try #require(planner.plan(user, now: now).sendPlan)
        return planner.settle(nudge, outcomes: outcomes, attemptedAt: now, now: now)
    }

    private func next(_ update: Change, devices: [Device], quarantine: String? = nil) -> ClaimedUser {
        F.user(
            version: (update.version ?? 1) + (quarantine == nil ? 0 : 1),
            since: update.since,
            fingerprint: update.state.fingerprint,
            evaluatedAt: update.evaluatedAt,
            history: update.state.history,
            retry: update.retry.flatMap { Retry.all(json: $0).first },
            quarantine: quarantine,
            devices: devices
        )
    }

    @Test func settle_whenSuspect_waitsForTheWindow() throws {
        let settled = try settle(F.user(), [suspect])
        #expect(settled.records.map(\.outcome) == [.deferred] && settled.records[0].reason == "BadDeviceToken")
        #expect(settled.state.history.closed.isEmpty && settled.state.history.sent.isEmpty)
        #expect(settled.dueAt == now + 65, "later than any window")
        #expect(settled.staleTokens.isEmpty)
        // No device was blamed, because the lane was misconfigured. It is tried again.
        let later = planner.plan(next(settled, devices: [F.device(1)]), now: now + 65)
        #expect(later.sendPlan?.targets.count == 1)
    }

    @Test func quarantine_whenItWasTheOnlyDevice_rejectsItAndClosesTheSlot() throws {
        let settled = try settle(F.user(), [suspect])
        let user = next(settled, devices: [F.device(1)], quarantine: quarantine([F.device(1)]))
        let plan = planner.plan(user, now: now + 61)
        #expect(plan.records.map(\.outcome) == [.rejected])
        #expect(plan.records[0].status == 400 && plan.records[0].key == "2026-11-20")
        #expect(plan.records[0].attemptedAt == F.at("2026-11-20T01:01:00Z"), "seen twice, it is one row")
        #expect(plan.reason == .noDevice && plan.rest?.state.history.closed == [slot])
        #expect(plan.rest?.retry == nil)
    }

    @Test func quarantine_whenAnotherDeviceWasReached_countsTheNudge() throws {
        let two = [F.device(1), F.device(2)]
        let settled = try settle(F.user(devices: two), [suspect, .accepted])
        #expect(settled.state.history.checkIns.map(\.slot) == [slot])
        let user = next(settled, devices: two, quarantine: quarantine([F.device(1)]))
        let plan = planner.plan(user, now: now + 61)
        #expect(plan.records.map(\.outcome) == [.rejected])
        #expect(plan.rest?.state.history.closed.isEmpty == true && plan.rest?.state.history.checkIns.count == 1)
    }

    @Test func quarantine_whenAnotherDeviceIsLeft_goesOnWithThatOne() throws {
        let two = [F.device(1), F.device(2)]
        let settled = try settle(F.user(devices: two), [suspect, .delayed(reason: "x", status: 503, retryAfter: nil)])
        let user = next(settled, devices: two, quarantine: quarantine([F.device(1)]))
        let plan = planner.plan(user, now: now + 1_000)
        #expect(plan.records.map(\.outcome) == [.rejected])
        #expect(plan.sendPlan?.targets.map(\.hash) == [hash(2)] && plan.sendPlan?.waiting.isEmpty == true)
    }

    @Test func device_whenRegisteredAnew_isDeliverableAgain() {
        let old = F.device(1)
        let anew = F.device(1, registered: "2026-11-20T00:59:59Z")
        let older = F.device(1, registered: "2025-11-20T00:59:59Z")
        #expect(planner.plan(F.user(quarantine: quarantine([old]), devices: [old]), now: now).reason == .noDevice)
        // Whatever the app's clock: another registration is another one.
        for device in [anew, older] {
            let plan = planner.plan(F.user(quarantine: quarantine([old]), devices: [device]), now: now)
            #expect(plan.sendPlan?.targets.count == 1)
        }
    }

    @Test func device_whenRefusedOnAnotherLane_isDeliverable() {
        let other = LaneIdentity(environment: "production", topic: F.lane.topic)
        let user = F.user(quarantine: quarantine([F.device(1)], lane: other))
        #expect(planner.plan(user, now: now).sendPlan != nil)
    }

    @Test(arguments: ["", "{}", "[1,{}]", "null", #"[{"device":7}]"#])
    func quarantine_whenItIsNoneOfOurs_holdsNobody(text: String) {
        #expect(planner.plan(F.user(quarantine: text), now: now).sendPlan != nil)
    }

    /// The answer expires before the window closes, so the nudge ends on this device.
    @Test func settle_whenTheWindowClosesTooLate_rejectsAtOnce() throws {
        let late = F.at("2026-11-20T04:59:30Z")
        let nudge = try #require(planner.plan(F.user(), now: late).sendPlan)
        let settled = planner.settle(nudge, outcomes: [suspect], attemptedAt: late, now: late)
        #expect(settled.records.map(\.outcome) == [.rejected] && settled.state.history.closed == [slot])
    }

    // MARK: Several lanes

    @Test func nudge_whenDevicesAreOnTwoLanes_isSentLaneByLane() throws {
        let other = LaneIdentity(environment: "production", topic: F.lane.topic)
        let planner = F.planner(
            lanes: LaneDirectory(standard: F.lane, others: [other])
        )
        let devices = [
            F.device(1), Device(token: F.token(2), registeredAt: now, environment: "production"),
            Device(token: F.token(3), registeredAt: now, environment: "production", topic: "com.example.none"),
        ]
        let nudge = try #require(planner.plan(F.user(devices: devices), now: now).sendPlan)
        #expect(Set(nudge.targets.map(\.lane)) == [F.lane, other])
        let (lane, part) = try #require(nudge.part { $0 == F.lane })
        #expect(lane == F.lane && part.targets.map(\.hash) == [hash(1)])
        #expect(part.waiting.map(\.deviceHash) == [hash(2)])
        // The other lane's follow at once, under the first answer, and count no second time.
        let settled = planner.settle(part, outcomes: [.accepted], attemptedAt: now, now: now)
        #expect(settled.dueAt == now + 1)
        let second = planner.plan(next(settled, devices: devices), now: now + 1)
        #expect(
            second.sendPlan?.targets.map(\.hash) == [hash(2)] && second.sendPlan?.countedAt == now
                && second.sendPlan?.slot == slot
        )
    }

    /// One token in two rows, for two lanes: the phone buzzes once, by the newest registration.
    @Test func nudge_whenOneTokenStandsForTwoLanes_goesToTheNewest() throws {
        let other = LaneIdentity(environment: "production", topic: F.lane.topic)
        let planner = F.planner(
            lanes: LaneDirectory(standard: F.lane, others: [other])
        )
        let devices = [
            Device(token: F.token(1), registeredAt: F.at("2026-01-01T00:00:00Z"), environment: "sandbox"),
            Device(token: F.token(1), registeredAt: F.at("2026-02-01T00:00:00Z"), environment: "production"),
        ]
        for order in [devices, devices.reversed()] {
            let nudge = try #require(planner.plan(F.user(devices: order), now: now).sendPlan)
            #expect(nudge.targets.map(\.lane) == [other])
        }
    }

    // MARK: Devices without a lane

    /// Another configuration can come without a word to the database: not a day later.
    @Test func user_whenADeviceHasNoLane_isEvaluatedAgainWithinAnHour() {
        let foreign = Device(token: F.token(2), registeredAt: now, environment: "production")
        for devices in [[foreign], [F.device(1), foreign]] {
            let plan = planner.plan(F.user(preferences: nil, devices: devices), now: now)
            #expect((plan.rest?.dueAt ?? now) > now + 1_799 && (plan.rest?.dueAt ?? now) <= now + 3_600)
        }
        let served = planner.plan(F.user(preferences: nil, devices: [F.device(1)]), now: now)
        #expect((served.rest?.dueAt ?? now) > now + 3_600)
    }

    /// A reload takes a lane away and gives it back while a nudge's answer holds: its device is still left.
    @Test func device_whenItsLaneGoesAndComesBack_keepsItsPlace() throws {
        let other = LaneIdentity(environment: "production", topic: F.lane.topic)
        let both = F.planner(
            lanes: LaneDirectory(standard: F.lane, others: [other])
        )
        let devices = [F.device(1), Device(token: F.token(2), registeredAt: now, environment: "production")]
        let nudge = try #require(both.plan(F.user(devices: devices), now: now).sendPlan)
        let (_, part) = try #require(nudge.part { $0 == F.lane })
        let settled = both.settle(part, outcomes: [.accepted], attemptedAt: now, now: now)
        // Without the lane nothing is sent, and nothing forgotten.
        let without = planner.plan(next(settled, devices: devices), now: now + 2)
        let rest = try #require(without.rest)
        #expect(without.records.isEmpty && rest.retry?.contains(hash(2)) == true)
        let again = both.plan(next(rest, devices: devices), now: now + 3_000)
        #expect(again.sendPlan?.targets.map(\.hash) == [hash(2)])
    }

    // MARK: Corrections

    /// A push that came back unwritten after its answer's end: the slot went by, and the record says so when the user is next asked.
    @Test func settle_whenUnsentPastItsEnd_leavesTheSlotToBeRecorded() throws {
        let before = F.at("2026-11-20T04:59:59Z")
        let after = F.at("2026-11-20T05:00:01Z")
        let nudge = try #require(planner.plan(F.user(evaluatedAt: F.at("2026-11-20T00:00:00Z")), now: before).sendPlan)
        let settled = planner.settle(nudge, outcomes: [.unsent(reason: "too_late")], attemptedAt: before, now: after)
        let plan = planner.plan(next(settled, devices: [F.device(1)]), now: after + 1)
        #expect(plan.records.map(\.outcome) == [.skipped] && plan.records[0].key == "2026-11-20")
    }

    /// One device was rejected for good, the other never written, twice: the first is not asked a second time.
    @Test func settle_whenUnsentAgain_remembersWhoWasRejected() throws {
        let two = [F.device(1), F.device(2)]
        let bad = PushOutcome.rejected(status: 400, reason: "BadCollapseId", deletes: nil)
        let first = try settle(F.user(devices: two), [bad, .unsent(reason: "x")])
        let again = try #require(planner.plan(next(first, devices: two), now: now + 1).sendPlan)
        #expect(again.targets.map(\.hash) == [hash(2)])
        let second = planner.settle(again, outcomes: [.unsent(reason: "x")], attemptedAt: now + 1, now: now + 1)
        let third = try #require(planner.plan(next(second, devices: two), now: now + 2).sendPlan)
        #expect(third.targets.map(\.hash) == [hash(2)])
    }
}
