import JSON
import Testing
import TimeZones

@testable import Delivery

@Suite struct DecisionStandingTests {
    private static func at(_ seconds: Int64) -> Instant { Instant(seconds: seconds) }

    @Test func since_isWhenItBegan() {
        var standing = DecisionStanding(since: nil)
        standing.note(fault: nil, now: nil)
        #expect(standing.since == nil)
        standing.note(fault: nil, now: Self.at(10))
        #expect(standing.state == .active && standing.since == Self.at(10) && standing.reason == nil)
        standing.note(fault: "a", now: Self.at(20))
        #expect(standing.state == .fallback && standing.since == Self.at(20) && standing.reason == "a")
        standing.note(fault: "b", now: Self.at(30))
        #expect(standing.since == Self.at(20) && standing.reason == "b")
        standing.note(fault: nil, now: Self.at(40))
        #expect(standing.state == .active && standing.since == Self.at(40) && standing.reason == nil)
    }

    @Test func news_isAnotherStateOrReason() {
        var standing = DecisionStanding(since: Self.at(1))
        let before = standing
        standing.note(fault: nil, now: Self.at(2))
        #expect(!standing.isNews(after: before))
        standing.note(fault: "a", now: Self.at(3))
        #expect(standing.isNews(after: before))
        let first = standing
        standing.note(fault: "b", now: Self.at(4))
        #expect(standing.isNews(after: first))
    }

    @Test func json_isReadAsItWasWritten() throws {
        var standing = DecisionStanding(since: nil)
        for fault in [nil, "the decision service answers with status 503"] {
            standing.note(fault: fault, now: Self.at(86_400))
            var json = JSONWriter()
            standing.write(to: &json)
            #expect(DecisionStanding(try JSONValue(parsing: json.bytes)) == standing)
        }
        #expect(DecisionStanding(.object(JSONObject())) == nil)
        let newer = DecisionStanding(try JSONValue(parsing: #"{"state": "half asleep", "since": 5}"#))
        #expect(newer?.state.rawValue == "half asleep" && newer?.since == nil)
    }
}
