import Fixtures
import APNs
import JSON
import Policy
@testable import Core
import TestSupport
import Testing
import TimeZones

/// Messages that fill a push, and more than anybody sends.
@Suite struct PlannerMessageTests {
    typealias F = PlannerFixture
    typealias M = MessageFixture

    private let planner = F.planner()
    private let now = MessageFixture.now

    /// More than 4,096 bytes with the level that a keyword adds: the text is sent without the level.
    @Test func message_whenOnlyTheLevelIsTooMuch_goesWithoutIt() throws {
        let keyword =
            #"{"check_ins_enabled":true,"frequency":"daily","timezone":"Asia/Tokyo","priority_keywords":["help"]}"#
        let help = M.message(1, "help", body: String(repeating: "x", count: 3950))
        let user = M.user([help], preferences: keyword)
        let sendPlan = try #require(planner.plan(user, now: now).sendPlan)
        let bytes = sendPlan.nudges[0].payload
        #expect(bytes.count <= 4096 && !String(decoding: bytes, as: UTF8.self).contains("interruption-level"))
    }

    /// The service's text replaces the key of a translation, too.
    @Test func text_whenTheServiceSaysAnother_replacesTheKey() throws {
        let text = PushText(M.message(1, "", body: "", apns: #"{"title_loc_key":"T","loc_key":"B"}"#), at: now)
        let said = try JSONValue(parsing: try #require(text.saying("Ann", nil).payload(passesFocus: false)))
        let alert = said["aps"]?["alert"]
        #expect(alert?["title"]?.text == "Ann" && alert?["title-loc-key"] == nil && alert?["loc-key"]?.text == "B")
    }

    /// The keywords are read once for all messages, so that one user can't hold up a sweep.
    @Test func messages_whenTheUserHasThousandsOfKeywords_arePlannedSoon() {
        let keywords = (0..<7_000).map { "\"k\($0)\"" }.joined(separator: ",")
        let preferences = #"\#(F.daily.dropLast()),"priority_keywords":[\#(keywords)]}"#
        let user = M.user((0..<250).map { M.message($0) }, preferences: preferences)
        var planned = 0
        let time = processorTime { planned = planner.plan(user, now: now).sendPlan?.nudges.count ?? 0 }
        #expect(planned == 250 && time < .seconds(4))
    }
}
