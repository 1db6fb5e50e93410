import Fixtures
import JSON
import Policy
@testable import Core
import Testing
import TimeZones

/// Messages for Live Activities, widgets and controls: to which tokens they go, and when.
@Suite struct PlannerSurfaceTests {
    typealias F = PlannerFixture
    typealias M = MessageFixture

    private let planner = F.planner()
    private let now = MessageFixture.now
    /// 03:00 in Tokyo.
    private let night = PlannerFixture.at("2026-11-20T18:00:00Z")

    private func activity(
        _ number: UInt8,
        _ event: String,
        text: String = "",
        urgent: Bool = false,
        created: Instant? = nil
    ) -> PendingMessage {
        let start = event == "start" ? #","attributes_type":"T","attributes":"{\"n\": 1.50}""# : ""
        return M.message(
            number,
            text,
            body: "",
            created: created,
            urgent: urgent,
            apns: #"{"live_activity":{"event":"\#(event)","id":"o","content_state":"{\"eta\": 10.50}"\#(start)}}"#
        )
    }

    /// - Parameter surfaces: each with the number of its device.
    private func plan(
        _ messages: [PendingMessage],
        _ surfaces: [String: Int],
        at now: Instant? = nil,
        preferences: String = PlannerFixture.daily
    ) -> Plan {
        var values = M.user(messages, preferences: preferences).values
        values.surfaces = surfaces.mapValues { [F.device($0)] }
        return planner.plan(ClaimedUser(values), now: now ?? self.now)
    }

    private func nudges(_ plan: Plan) -> [PlannedNudge] {
        (plan.sendPlan?.nudges ?? []).filter { $0.identity.kind == .message }
    }

    @Test func message_forASurface_goesToItsTokensOnly() throws {
        let all = [activity(1, "start", text: "On its way"), activity(2, "update")]
        let sent = nudges(plan(all, ["start:T": 2, "activity:o": 3, "activity:other": 4, "widgets": 5]))
        #expect(sent.map { $0.targets.map(\.device.token) } == [[F.token(2)], [F.token(3)]])
        let name = M.id(2).uuidString.lowercased()
        #expect(
            String(decoding: try #require(sent.last).payload, as: UTF8.self)
                == #"{"aps":{"timestamp":\#((now - 58).seconds),"event":"update","content-state":{"eta": 10.50}},"nudge":"\#(name)"}"#
        )
    }

    /// Nobody hears anything, so nothing but a missing token holds it. It is not counted.
    @Test(arguments: [
        #"{"timezone":"Asia/Tokyo","quiet_hours_start":"00:00","quiet_hours_end":"23:59"}"#,
        #"{"timezone":"Asia/Tokyo","muted_until":"2026-11-22T00:00:00Z"}"#,
        #"{"timezone":"Asia/Tokyo","max_per_day":1}"#, "{}",
    ]) func update_whenAMessageWouldBeHeld_isSentWithoutItsText(preferences: String) throws {
        let plan = plan([activity(1, "update", text: "Soon")], ["activity:o": 3], preferences: preferences)
        let aps = try #require(try M.payload(nudges(plan).first)["aps"])
        #expect(aps["content-state"] != nil && aps["alert"] == nil && aps["sound"] == nil)
        let settled = planner.settle(
            try #require(plan.sendPlan),
            outcomes: [.accepted],
            attemptedAt: now,
            now: now
        )
        #expect(settled.state.history.sent == M.history.sent)
    }

    /// Then it counts like a message, and it is not written once quiet hours have begun.
    @Test func update_whenTheUserIsAwakeOrItIsUrgent_isHeard() throws {
        for (urgent, instant) in [(false, now), (true, night)] {
            let plan = plan([activity(1, "end", text: "Here", urgent: urgent)], ["activity:o": 3], at: instant)
            let nudge = try #require(nudges(plan).first)
            let aps = try M.payload(nudge)["aps"]
            #expect(aps?["alert"]?["title"] == .string("Here") && aps?["sound"] == .string("default"))
            #expect(nudge.validUntil == (urgent ? nil : F.at("2026-11-20T13:00:00Z")))
            let settled = planner.settle(
                try #require(plan.sendPlan),
                outcomes: [.accepted],
                attemptedAt: instant,
                now: instant
            )
            #expect(settled.state.history.sent == [instant] + M.history.sent)
        }
    }

    /// Not even if one of the user's keywords is in it.
    @Test func start_inQuietHours_waitsForTheirEnd() {
        let keyword = #"{"priority_keywords":["way"],"timezone":"Asia/Tokyo"}"#
        for urgent in [false, true] {
            let start = activity(1, "start", text: "On its way", urgent: urgent)
            #expect(nudges(plan([start], ["start:T": 2], at: night, preferences: keyword)).isEmpty)
            #expect(nudges(plan([start], ["start:T": 2], preferences: keyword)).count == 1)
        }
    }

    /// The token comes after the start. Nothing is dropped until it ends.
    @Test func update_whenItsActivityHasNoToken_waits() {
        var update = activity(1, "update")
        update.expiresAt = now + 60
        #expect(plan([update], [:]).ended.isEmpty && nudges(plan([update], [:])).isEmpty)
        #expect(plan([update], [:], at: now + 60).records.map(\.reason) == ["expired"])
        let others = plan(
            [activity(1, "start", text: "a"), M.message(2, "", body: "", apns: #"{"widgets":true}"#)],
            [:]
        )
        #expect(others.records.map(\.reason) == ["no_device", "no_device"])
    }

    /// Of several that wait only the newest is sent. An end replaces whatever came before it, and nothing replaces it.
    @Test(arguments: [
        (["update", "update"], ["update 2"]), (["start", "update"], ["start 1", "update 2"]),
        (["start", "update", "end"], ["end 3"]), (["end", "update"], ["end 1", "update 2"]),
        (["end", "start"], ["end 1", "start 2"]),
    ]) func events_whenSeveralWait_areReplacedByNewerOnes(events: [String], sent: [String]) throws {
        let messages = events.enumerated().map { activity(UInt8($0 + 1), $1, text: "t") }
        let left = try nudges(plan(messages, ["start:T": 2, "activity:o": 3])).map { nudge in
            let number = try #require(nudge.identity.key.last)
            return "\(M.text(try M.payload(nudge)["aps"]?["event"]) ?? "") \(number)"
        }
        #expect(left == sent)
    }

    /// A digest is read, and this is not.
    @Test func digest_whenAnActivityWaitedToo_leavesItApart() {
        let evening = F.at("2026-11-19T18:00:00Z")
        let messages = (1...4).map { M.message(UInt8($0), created: evening + Int64($0)) }
        let start = activity(9, "start", text: "t", created: evening + 9)
        let plan = plan(messages + [start], ["start:T": 2], at: F.at("2026-11-19T23:00:00Z"))
        #expect(nudges(plan).map(\.members.count).sorted() == [1, 4])
    }

    @Test(arguments: [
        #"{"live_activity":{"event":"begin","id":"o","content_state":"{}"}}"#,
        #"{"live_activity":{"event":"update","id":"o","content_state":"[]"}}"#,
        #"{"live_activity":{"event":"start","id":"o","content_state":"{}"}}"#, #"{"live_activity":1}"#,
        #"{"widgets":1}"#,
    ]) func row_whenItsSurfaceIsUnknown_isLeftToANewerVersion(apns: String) {
        let plan = plan([M.message(1, apns: apns)], ["activity:o": 1])
        guard case .unreadable(.newer("nudged.message.apns")) = plan else {
            Issue.record("\(plan)")
            return
        }
        #expect(plan.records.isEmpty)
    }
}
