import FoundationEssentials
import JSON
import Testing
import TimeZones

@testable import Core

@Suite struct DecisionQuestionTests {
    @Test func question_hasEveryKey() throws {
        let id = try #require(UUID(uuidString: "6F0C1B52-8D5E-4C4E-9D0A-0123456789AB"))
        let slot = try #require(LocalDate(iso: "2026-03-01"))
        let checkIn = DecisionQuestion(
            kind: .checkIn,
            userID: id,
            slot: slot,
            priority: .medium,
            title: "Hello \"you\"",
            body: "line\nbreak",
            context: JSONObject([.init(key: "timezone", value: .string("Europe/Paris"))]),
            pauseThresholdSeconds: 60,
            activeConversationThreshold: 50
        )
        #expect(
            String(decoding: checkIn.json, as: UTF8.self)
                == #"{"kind":"check_in","user_id":"6f0c1b52-8d5e-4c4e-9d0a-0123456789ab","slot":"2026-03-01","priority":"medium","#
                + #""title":"Hello \"you\"","body":"line\nbreak","context":{"timezone":"Europe/Paris"},"#
                + #""pause_threshold_seconds":60,"active_conversation_threshold":50}"#
        )
        let message = DecisionQuestion(
            kind: .message,
            userID: id,
            slot: nil,
            priority: .urgent,
            title: "",
            body: "",
            context: JSONObject()
        )
        let json = try JSONValue(parsing: message.json)
        #expect(json["slot"] == .null)
        #expect(json["priority"] == .string("urgent"))
        #expect(json["context"] == .object(JSONObject()))
    }
}
