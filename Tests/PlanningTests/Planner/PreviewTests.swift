import APNs
import Fixtures
import JSON
import NudgedKit
import Policy
import Seeded
@testable import Core
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

/// What a preview says of a message is what then becomes of it.
@Suite struct PreviewTests {
    typealias F = PlannerFixture
    private static let start = F.at("2026-11-20T00:00:00Z")

    /// A user, a message, and what the service would answer.
    private struct Drawn {
        var user: ClaimedUser
        var planner: Planner
        var now: Instant
        /// nil: the service fails.
        var answer: DecisionAnswer?
        private var title: String
        private var isUrgent: Bool
        private var collapseKey: String?
        private var expiresAt: Instant?
        private var apns: String?
        private var due: PendingReminder.Due?

        init(_ draw: inout SplitMix64) throws {
            now = PreviewTests.start + Int64(draw.int(0...86_400))
            planner = F.planner()
            planner.asksService = draw.chance(40)
            if draw.chance(5) { planner.paused = [.message] }
            title = draw.pick(["Hi", "Milk is out", ""])
            isUrgent = draw.chance(30)
            collapseKey = draw.chance(20) ? "k" : nil
            expiresAt = draw.chance(40) ? now + Int64(draw.int(1...50_000)) : nil
            if draw.chance(20) {
                apns = draw.pick([
                    #"{"badge":1,"sound":"none"}"#, #"{"subtitle":"S"}"#, #"{"interruption_level":"passive"}"#,
                ])
            }
            // nudged_api.send refuses one that expires first.
            if expiresAt == nil, draw.chance(20) {
                let wall = "2026-11-2\(draw.int(0...1))T1\(draw.int(0...9)):00:00"
                due = draw.chance(50) ? .at(now + Int64(draw.int(-50_000...50_000))) : ReminderFixture.wall(wall)
            }
            let notify = draw.chance(60)
            let text = draw.chance(40) ? #","title":"Other","body":"words""# : ""
            let json = #"{"should_notify":\#(notify),"priority":"normal","reason":"r"\#(text)}"#
            answer = draw.chance(80) ? try DecisionAnswer(parsing: Array(json.utf8), hiding: []) : nil
            var waiting: [PendingMessage] = []
            for number in 0..<UInt8(draw.chance(50) ? 0 : draw.int(1...5)) {
                let (created, urgent) = (now - Int64(draw.int(1...40_000)), draw.chance(20))
                let key = draw.chance(20) ? "k" : nil
                waiting.append(MessageFixture.message(number + 1, created: created, urgent: urgent, collapseKey: key))
            }
            var sent: [Instant] = []
            for _ in 0..<draw.int(0...6) { sent.append(now - Int64(draw.int(1...90_000))) }
            let since = F.at("2026-01-01T00:00:00Z")
            var devices: [Device] = []
            for number in 0..<draw.pick([0, 1, 1, 1, 2, 3]) {
                let environment = draw.chance(10) ? "production" : nil
                devices.append(Device(token: F.token(number + 1), registeredAt: since, environment: environment))
            }
            user = F.user(
                since: since,
                history: History(sent: sent.sorted()),
                preferences: Self.preferences(&draw),
                timezone: draw.chance(50) ? "Europe/Berlin" : nil,
                firstSessionComplete: draw.chance(80),
                devices: devices,
                messages: waiting
            )
        }

        private static func preferences(_ draw: inout SplitMix64) -> String? {
            if draw.chance(3) { return draw.chance(50) ? nil : "{" }
            var members = [
                #""check_ins_enabled":\#(draw.chance(70))"#,
                #""frequency":"\#(draw.pick(["daily", "weekly", "few_times_a_week"]))""#,
            ]
            if draw.chance(70) {
                let zone = draw.pick(["Asia/Tokyo", "America/New_York", "No"])
                members.append(#""timezone":"\#(zone)""#)
            }
            if draw.chance(50) {
                members.append(#""quiet_hours_start":"\#(draw.pick(["22:00", "06:00"]))""#)
                members.append(#""quiet_hours_end":"\#(draw.pick(["08:00", "18:30"]))""#)
            }
            if draw.chance(30) { members.append(#""max_per_hour":\#(draw.int(1...3))"#) }
            if draw.chance(30) { members.append(#""max_per_day":\#(draw.int(1...5))"#) }
            if draw.chance(20) { members.append(#""messages_enabled":\#(draw.chance(50))"#) }
            if draw.chance(50) { members.append(#""allow_urgent":\#(draw.chance(70))"#) }
            if draw.chance(30) { members.append(#""priority_keywords":["milk"]"#) }
            if draw.chance(60) { members.append(#""smart_enabled":\#(draw.chance(70))"#) }
            members.append(#""fallback_strategy":"\#(draw.pick(["simple_rules", "notify_all", "suppress_all"]))""#)
            return "{\(members.joined(separator: ","))}"
        }

        /// The message under an id: the preview's, or the one that nudged_api.send makes.
        func message(_ number: UInt8) -> PendingMessage {
            var message = MessageFixture.message(number, title, created: now, apns: apns, due: due)
            (message.urgent, message.collapseKey, message.expiresAt) = (isUrgent, collapseKey, expiresAt)
            return message
        }

        /// As nudged answers: the planner, then the service or the fallback.
        func preview() -> Preview {
            let preview = planner.preview(message(200), for: user, now: now)
            guard preview.question != nil else { return preview }
            return preview.decided(by: answer.map(DecisionResult.success) ?? .failure(.timedOut))
        }

        /// The user once the message is sent, drained and claimed.
        var claimed: ClaimedUser {
            var changes = user.values
            changes.messages.append(message(100))
            changes.version += 1
            return ClaimedUser(changes)
        }

        /// A sweep: every push is accepted. Returns what was sent of the message, and what is written.
        func sweep() throws -> (sent: PlannedNudge?, settled: Change) {
            switch planner.plan(claimed, now: now) {
            case .nothing(let settled, _, _): return (nil, settled)
            case .send(let plan, _):
                var outcomes: [NudgeIdentity: DecisionOutcome] = [:]
                let result = answer.map(DecisionResult.success) ?? .failure(.timedOut)
                for nudge in plan.nudges where nudge.isToBeAsked {
                    outcomes[nudge.identity] = plan.outcome(nudge, by: result)
                }
                let decided = plan.decided(outcomes, at: now, paused: planner.paused)
                let accepted = Array(repeating: PushOutcome.accepted, count: decided.pushCount)
                return (
                    decided.nudges.first { $0.members.contains(.message(MessageFixture.id(100))) },
                    planner.settle(decided, outcomes: accepted, attemptedAt: now, now: now)
                )
            case .unreadable(let error): throw error
            }
        }
    }

    private static func texts(_ nudge: PlannedNudge) throws -> [String?] {
        let alert = try JSONValue(parsing: nudge.payload)["aps"]?["alert"]
        return [alert?["title"]?.text, alert?["body"]?.text]
    }

    @Test func anyMessage_whenSentAfterItsPreview_becomesWhatThePreviewSaid() throws {
        let seed = Seeds.extra
        print("seed \(seed)")
        var draw = SplitMix64(seed: seed)
        var seen: [String: Int] = [:]
        for number in 0..<10_000 {
            let drawn = try Drawn(&draw)
            let preview = drawn.preview()
            let (sent, settled) = try drawn.sweep()
            let place: Comment = "seed \(seed), case \(number): \(preview.json)"
            let key = MessageFixture.id(100).uuidString.lowercased()
            let records = settled.records.filter { $0.kind == "message" && $0.key == key }
            let isAccepted = records.contains { $0.outcome == .accepted }
            try #require(isAccepted == (preview.action == .send), place)
            switch preview.action {
            case .send:
                let sent = try #require(sent, place)
                let texts = preview.texts
                #expect(sent.targets.count == preview.devices && sent.identity.isDigest == preview.isDigest, place)
                #expect(try Self.texts(sent) == [texts.title, texts.body], place)
                #expect(sent.isUrgent == (preview.priority == "urgent") || preview.origin == "service", place)
            case .drop:
                #expect(records.map(\.outcome) == [.dropped] && records.first?.reason == preview.reason, place)
            case .wait:
                let next = try #require(preview.nextAt, place)
                #expect(records.isEmpty && next > drawn.now && settled.dueAt <= next, place)
                // What the service declines leaves room under a limit.
                guard !settled.records.contains(where: { $0.reason == "declined" }) else { break }
                let later = drawn.claimed.settled(settled)
                let plan = drawn.planner.plan(later, now: next - 1).sendPlan
                let isSent = plan?.nudges.contains { $0.members.contains(.message(MessageFixture.id(100))) } ?? false
                #expect(!isSent, place)
            case .hold:
                #expect(records.isEmpty, place)
            }
            seen["\(preview.action.rawValue) \(preview.origin)", default: 0] += 1
        }
        for kind in ["send policy", "send service", "send fallback", "drop policy", "drop service", "wait policy"] {
            #expect(seen[kind, default: 0] > 20, "\(seen)")
        }
    }

    @Test func preview_whenTheUserDoesNotConsent_asksNobody() throws {
        var planner = F.planner()
        planner.asksService = true
        let user = MessageFixture.user([])
        let preview = planner.preview(MessageFixture.message(1), for: user, now: MessageFixture.now)
        #expect(preview.question == nil && preview.action == .send && preview.origin == "policy")
    }

    @Test func preview_isWrittenWithEveryKey() throws {
        let user = MessageFixture.user([])
        let preview = F.planner().preview(MessageFixture.message(1), for: user, now: MessageFixture.now)
        #expect(
            preview.json
                == #"{"would_notify":true,"action":"send","reason":"due","next_at":null,"by":"policy","#
                + #""priority":"medium","explanation":null,"title":"Hi","body":"there","devices":1,"digest":false}"#
        )
    }

    /// The daemon's answer, as an app gets it.
    private struct Server: NudgedServer {
        let answer: String

        func rpc(schema: String, function: String, parameters: EncodableJSON) -> String { answer }
    }

    @Test func preview_whenAnAppReadsIt_isTheSame() async throws {
        var draw = SplitMix64(seed: Seeds.extra)
        for _ in 0..<200 {
            let preview = try Drawn(&draw).preview()
            let read = try #require(try await Server(answer: preview.json).preview(title: "", body: ""))
            #expect(read.action.rawValue == preview.action.rawValue && read.reason == preview.reason)
            #expect(read.by == preview.origin && read.explanation == preview.explanation)
            #expect(read.nextAt.map { Int64($0.timeIntervalSince1970) } == preview.nextAt?.seconds)
            #expect(read.title == preview.texts.title && read.body == preview.texts.body)
            #expect(read.priority == preview.priority && read.devices == preview.devices)
            #expect(read.isDigest == preview.isDigest)
        }
    }

    @Test func preview_whenThePayloadIsTooLarge_saysSo() {
        let message = MessageFixture.message(1, body: String(repeating: "x", count: 4_096))
        let preview = F.planner().preview(message, for: MessageFixture.user([]), now: MessageFixture.now)
        #expect(preview.action == .drop && preview.reason == "payload_too_large" && preview.texts.body == nil)
    }
}
