import JSON
import Testing
import TimeZones

@testable import Core

@Suite struct DecisionStatusTests {
    private static func at(_ seconds: Int64) -> Instant { Instant(seconds: seconds) }

    @Test func since_isWhenItBegan() {
        var status = DecisionStatus(since: nil)
        status.note(fault: nil, now: nil)
        #expect(status.since == nil)
        status.note(fault: nil, now: Self.at(10))
        #expect(status.state == DecisionStatus.active && status.since == Self.at(10) && status.reason == nil)
        status.note(fault: "a", now: Self.at(20))
        #expect(status.state == DecisionStatus.fallback && status.since == Self.at(20) && status.reason == "a")
        status.note(fault: "b", now: Self.at(30))
        #expect(status.since == Self.at(20) && status.reason == "b")
        status.note(fault: nil, now: Self.at(40))
        #expect(status.state == DecisionStatus.active && status.since == Self.at(40) && status.reason == nil)
    }

    @Test func news_isAnotherStateOrReason() {
        var status = DecisionStatus(since: Self.at(1))
        let before = status
        status.note(fault: nil, now: Self.at(2))
        #expect(!status.isNews(after: before))
        status.note(fault: "a", now: Self.at(3))
        #expect(status.isNews(after: before))
        let first = status
        status.note(fault: "b", now: Self.at(4))
        #expect(status.isNews(after: first))
    }

    @Test func json_isReadAsItWasWritten() throws {
        var status = DecisionStatus(since: nil)
        for fault in [nil, "the decision service answers with status 503"] {
            status.note(fault: fault, now: Self.at(86_400))
            var json = JSONWriter()
            status.write(to: &json)
            #expect(DecisionStatus(try JSONValue(parsing: json.bytes)) == status)
        }
        #expect(DecisionStatus(.object(JSONObject())) == nil)
        let newer = DecisionStatus(try JSONValue(parsing: #"{"state": "half asleep", "since": 5}"#))
        #expect(newer?.state == "half asleep" && newer?.since == nil)
    }
}
