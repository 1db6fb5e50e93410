import Fixtures
import JSON
import Policy
@testable import Core
import Testing
import TimeZones

/// How a phone shows a nudge: the argument `apns`, from the rows to the payload.
@Suite struct PlannerOptionsTests {
    typealias F = PlannerFixture
    typealias M = MessageFixture

    private let planner = F.planner()
    private let now = MessageFixture.now

    @Test func message_whenItHasOptions_showsThem() throws {
        let message = M.message(1, data: #"{"x": 1}"#, apns: #"{"badge":3,"sound":"none","subtitle":"s"}"#)
        let nudge = try #require(planner.plan(M.user([message]), now: now).sendPlan?.nudges.first)
        let payload = try M.payload(nudge)
        #expect(payload["aps"]?["badge"] == .int(3) && payload["aps"]?["sound"] == nil)
        #expect(M.text(payload["aps"]?["alert"]?["subtitle"]) == "s" && payload["x"] == .int(1))
        #expect(nudge.type == .alert)
    }

    @Test func message_whenUrgent_isTimeSensitiveWhateverItsLevel() throws {
        let keyword = #"{"priority_keywords":["hi"],"timezone":"Asia/Tokyo"}"#
        let message = M.message(1, "Hi", apns: #"{"interruption_level":"passive"}"#)
        func level(_ preferences: String) throws -> String? {
            let plan = planner.plan(M.user([message], preferences: preferences), now: now)
            return M.text(try M.payload(plan.sendPlan?.nudges.first)["aps"]?["interruption-level"])
        }
        #expect(try level(F.daily) == "passive")
        #expect(try level(keyword) == "time-sensitive")
    }

    @Test func message_whenABackgroundPush_showsNothingAndIsNotAskedAbout() throws {
        var planner = planner
        planner.asksService = true
        let message = M.message(1, "", body: "", data: #"{"sync": 1}"#, apns: #"{"content_available":true}"#)
        let user = M.user([message], preferences: #"{"smart_enabled":true,"timezone":"Asia/Tokyo"}"#)
        let nudge = try #require(planner.plan(user, now: now).sendPlan?.nudges.first)
        #expect(nudge.type == .background && !nudge.isToBeAsked)
        #expect(
            String(decoding: nudge.payload, as: UTF8.self)
                == #"{"aps":{"content-available":1},"sync": 1,"nudge":"\#(M.id(1).uuidString.lowercased())"}"#
        )
    }

    /// The closest text, as for templates. A keyword is looked for in what the user gets.
    @Test(arguments: [
        ("de-AT", "Hallo", "", true), ("pt_BR.UTF-8", "Oi", "Brasil", false), ("pt-PT", "Ola", "", false),
        ("fr", "Hi", "there", false), ("", "Hi", "there", false),
    ])
    func message_whenItHasTexts_saysThatOfTheUsersLocale(locale: String, title: String, body: String, isUrgent: Bool)
        throws
    {
        var message = M.message(1)
        message.texts = #"{"de":{"title":"Hallo"},"PT_br":{"title":"Oi","body":"Brasil"},"pt":{"title":"Ola"}}"#
        let user = F.user(
            preferences: #"{"priority_keywords":["hallo"],"timezone":"Asia/Tokyo"}"#,
            context: #"{"locale":"\#(locale)"}"#,
            messages: [message]
        )
        let nudge = try #require(planner.plan(user, now: now).sendPlan?.nudges.first)
        let alert = try M.payload(nudge)["aps"]?["alert"]
        #expect(M.text(alert?["title"]) == title && M.text(alert?["body"]) == body && nudge.isUrgent == isUrgent)
    }

    /// A conversation is waited for with consent only, whatever the context is read for.
    @Test func message_whenItHasTextsWithoutConsent_doesNotWaitForItsConversation() throws {
        let conversation = "0F4A1C3E-9B7D-4C2A-8E5F-001122334455"
        var message = M.message(1, conversationID: conversation)
        message.texts = #"{"de":{"title":"Hallo"}}"#
        let context =
            #"{"conversation_id":"\#(conversation)","conversation_messages":999,"conversation_last_at":"\#(now.rfc3339)"}"#
        func plan(_ preferences: String) -> SendPlan? {
            planner.plan(F.user(preferences: preferences, context: context, messages: [message]), now: now).sendPlan
        }
        #expect(plan(#"{"timezone":"Asia/Tokyo"}"#)?.nudges.count == 1)
        #expect(plan(#"{"smart_enabled":true,"timezone":"Asia/Tokyo"}"#) == nil)
    }

    /// Apple takes a badge as an alert. Of several, only the newest counts, and none is in a digest.
    @Test func message_whenABadgeAlone_isSentOnceAndNotAskedAbout() throws {
        var planner = planner
        planner.asksService = true
        let night = F.at("2026-11-19T18:00:00Z")
        let badges = (1...5).map {
            M.message(UInt8($0), "", body: "", created: night + Int64($0), apns: #"{"badge":\#($0)}"#)
        }
        let user = M.user(badges, preferences: #"{"smart_enabled":true,"timezone":"Asia/Tokyo"}"#)
        let plan = planner.plan(user, now: F.at("2026-11-19T23:00:00Z"))
        let nudges = try #require(plan.sendPlan?.nudges)
        let newest = try #require(nudges.first)
        #expect(nudges.count == 1 && newest.identity == .message(M.id(5)))
        #expect(newest.type == .alert && !newest.isToBeAsked)
        #expect(try M.payload(newest)["aps"] == JSONValue(parsing: #"{"badge":5}"#))
        #expect(plan.records.filter { $0.reason == "collapsed" }.count == 4)
    }

    /// A badge is an alert for Apple, so this one is no background push. Each one's data counts.
    @Test func message_whenABadgeWakesTheApp_isAnAlertAndReplacesNone() throws {
        let badges = (1...2).map {
            M.message(UInt8($0), "", body: "", apns: #"{"badge":\#($0),"content_available":true}"#)
        }
        let nudges = try #require(planner.plan(M.user(badges), now: now).sendPlan?.nudges)
        #expect(nudges.count == 2 && nudges.allSatisfy { $0.type == .alert })
    }

    @Test func row_whenItsOptionsAreUnknown_isLeftToANewerVersion() {
        let plan = planner.plan(M.user([M.message(1, apns: #"{"bagde":1}"#)]), now: now)
        guard case .unreadable(.newer("nudged.message.apns")) = plan else {
            Issue.record("\(plan)")
            return
        }
    }

    /// A digest has its own text. It takes the newest badge, and what all its messages share.
    @Test func digest_whenItsMessagesHaveOptions_takesTheNewestBadgeAndWhatTheyShare() throws {
        let night = F.at("2026-11-19T18:00:00Z")
        let morning = F.at("2026-11-19T23:00:00Z")
        func digest(_ apns: [String]) throws -> JSONValue {
            let messages = apns.enumerated().map { place, apns in
                M.message(UInt8(place + 1), created: night + Int64(place), apns: apns)
            }
            let plan = planner.plan(M.user(messages, history: History()), now: morning)
            let nudge = try #require(plan.sendPlan?.nudges.first)
            #expect(nudge.identity.isDigest && nudge.members.count == 4)
            return try #require(try M.payload(nudge)["aps"])
        }
        let shared = try digest([
            #"{"badge":1,"sound":"none","relevance_score":0.5,"subtitle":"s"}"#,
            #"{"badge":2,"sound":"none","relevance_score":0.5,"subtitle":"s"}"#,
            #"{"badge":5,"sound":"none","relevance_score":0.5,"image_url":"https://example.com/a"}"#,
            #"{"sound":"none","relevance_score":0.5,"subtitle":"s"}"#,
        ])
        #expect(shared["badge"] == .int(5) && shared["sound"] == nil && shared["relevance-score"] == .number(0.5))
        #expect(shared["alert"]?["subtitle"] == nil && shared["mutable-content"] == nil)
        let mixed = try digest([#"{"sound":"none"}"#, #"{"sound":"bell"}"#, #"{"relevance_score":1}"#, "{}"])
        #expect(M.text(mixed["sound"]) == "default" && mixed["relevance-score"] == nil && mixed["badge"] == nil)
    }

    /// A digest is shown. So a background push is in none.
    @Test func digest_whenABackgroundPushWaitedToo_leavesItApart() throws {
        let night = F.at("2026-11-19T18:00:00Z")
        let messages = (1...4).map { M.message(UInt8($0), created: night + Int64($0)) }
        let silent = M.message(9, "", body: "", created: night, apns: #"{"content_available":true}"#)
        let plan = planner.plan(M.user(messages + [silent], history: History()), now: F.at("2026-11-19T23:00:00Z"))
        let nudges = try #require(plan.sendPlan?.nudges)
        #expect(nudges.map(\.members.count).sorted() == [1, 4])
        #expect(nudges.first { $0.type == .background }?.identity == .message(M.id(9)))
    }

    /// A critical alert stays one if it is urgent, and is in no digest.
    @Test(arguments: [#"{"interruption_level":"critical"}"#, #"{"sound":{"name":"default","critical":1}}"#])
    func message_whenCritical_staysCriticalAndAlone(apns: String) throws {
        let urgent = M.message(1, urgent: true, apns: apns)
        let aps = try M.payload(planner.plan(M.user([urgent]), now: now).sendPlan?.nudges.first)["aps"]
        #expect(M.text(aps?["interruption-level"]) != "time-sensitive")
        let night = F.at("2026-11-19T18:00:00Z")
        let others = (1...4).map { M.message(UInt8($0), created: night + Int64($0)) }
        let critical = M.message(9, created: night, apns: apns)
        let plan = planner.plan(M.user(others + [critical], history: History()), now: F.at("2026-11-19T23:00:00Z"))
        #expect(plan.sendPlan?.nudges.map(\.members.count).sorted() == [1, 4])
    }

    @Test func template_whenItHasOptions_showsThem() throws {
        let texts = CheckInTexts(templates: [
            StoredTemplate(id: 1, title: "t", body: "", apns: #"{"badge":1}"#, data: #"{"x": 1}"#),
            StoredTemplate(id: 2, title: "wrong", body: "", apns: #"{"content_available":true}"#),
        ])
        let question = CheckInTexts.Question(
            user: F.userID,
            slot: F.date("2026-11-20"),
            last: nil,
            context: RecipientContext(json: nil)
        )
        let choice = try #require(texts.choose(question))
        #expect(choice.template == 1)
        #expect(
            String(decoding: choice.payload, as: UTF8.self)
                == #"{"aps":{"alert":{"title":"t","body":""},"sound":"default","badge":1},"action":"new_conversation","x": 1}"#
        )
    }

    /// The service's text replaces the key of a translation, too.
    @Test func text_whenTheServiceSaysAnother_replacesTheKey() throws {
        let text = PushText(M.message(1, "", body: "", apns: #"{"title_loc_key":"T","loc_key":"B"}"#), at: now)
        let said = try JSONValue(parsing: try #require(text.saying("Ann", nil).payload(passesFocus: false)))
        #expect(M.text(said["aps"]?["alert"]?["title"]) == "Ann")
        #expect(said["aps"]?["alert"]?["title-loc-key"] == nil && M.text(said["aps"]?["alert"]?["loc-key"]) == "B")
    }
}
