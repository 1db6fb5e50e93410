import Fixtures
import APNs
import JSON
import Policy
@testable import Core
import Testing
import TimeZones

@testable import Configuration

/// What the decision service's answers make of a user's turn.
@Suite struct DecidedTurnTests {
    typealias F = PlannerFixture

    /// 10:05 in Tokyo: the check-in is due.
    private let now = F.at("2026-11-20T01:05:00Z")

    /// Of a user who consents.
    private static let smart = with(#""smart_enabled":true"#)

    private static func with(_ member: String) -> String { String(F.daily.dropLast()) + ",\(member)}" }

    private func planner(_ messages: Configuration.Messages = F.messages) -> Planner {
        var planner = F.planner(messages: messages)
        planner.asksService = true
        return planner
    }

    private func message(_ number: UInt8, urgent: Bool = false, category: String? = nil, data: String? = nil)
        -> PendingMessage
    {
        var message = MessageFixture.message(number, "Ann", body: "text \(number)", created: now - 5, urgent: urgent)
        (message.data, message.category, message.expiresAt) = (data, category, now + 100)
        return message
    }

    private func sendPlan(_ messages: [PendingMessage], planner: Planner? = nil, preferences: String = Self.smart)
        throws -> SendPlan
    {
        let user = F.user(preferences: preferences, messages: messages)
        return try #require((planner ?? self.planner()).plan(user, now: now).sendPlan)
    }

    private func outcome(_ notify: Bool, _ more: String = "") throws -> DecisionOutcome {
        let json = "{\"should_notify\": \(notify), \"priority\": \"low\", \"reason\": \"r\"\(more)}"
        return DecisionOutcome(origin: .service, answer: try DecisionAnswer(parsing: Array(json.utf8), hiding: []))
    }

    @Test func questions_areOfEachNudgeInOrder() throws {
        let sendPlan = try sendPlan([message(1), message(2, urgent: true)])
        let questions = sendPlan.nudges.compactMap(sendPlan.question)
        #expect(questions.map(\.kind) == [.message, .message, .checkIn])
        #expect(questions.map(\.priority) == [.urgent, .medium, .medium])
        #expect(questions.map(\.body) == ["text 2", "text 1", "How are you?"])
        #expect(questions.map(\.slot) == [nil, nil, F.date("2026-11-20")])
    }

    @Test func decided_whenTheTextFitsNoPush_keepsItsOwn() throws {
        let data = "{\"x\": \"\(String(repeating: "y", count: 2500))\"}"
        let sendPlan = try sendPlan([message(1, data: data)])
        let long = String(repeating: "x", count: 2500)
        let said = try outcome(true, ", \"body\": \"\(long)\"")
        let outcomes = Dictionary(uniqueKeysWithValues: sendPlan.nudges.map { ($0.identity, said) })
        let decided = sendPlan.decided(outcomes, at: now, paused: [])
        #expect(decided.nudges.first?.payload == sendPlan.nudges.first?.payload)
        #expect(decided.nudges.last?.payload.isEmpty == false)
    }

    @Test func fallback_goesByTheUsersStrategyAndTheNudge() throws {
        let sendPlan = try sendPlan(
            [
                message(1), message(2, category: "mention"), message(3, data: #"{"mention": true}"#),
                message(4, data: #"{"mention": "no"}"#), message(5, urgent: true),
            ],
            planner: planner(Configuration.Messages(digestAfter: 9, digestTitle: "n", digestBody: "n"))
        )
        let outcomes = sendPlan.nudges.map { sendPlan.outcome($0, by: .failure(.timedOut)) }
        #expect(outcomes.map(\.shouldNotify) == [true, false, true, true, false, true])
        #expect(outcomes.map(\.answer.priority) == [.urgent, .medium, .medium, .medium, .medium, .medium])
        let second = outcomes[1].answer.reason
        #expect(second == "neither urgent nor a mention: the decision service did not answer in time")
        #expect(try JSONValue(parsing: outcomes[0].json)["by"] == .string("fallback"))
        let quiet = try self.sendPlan(
            [message(5, urgent: true)],
            preferences: Self.with(#""smart_enabled":true,"fallback_strategy":"suppress_all""#)
        )
        #expect(quiet.nudges.map { quiet.outcome($0, by: .failure(.overLimit)).shouldNotify } == [false, false])
    }
}
