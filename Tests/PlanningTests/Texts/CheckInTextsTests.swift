import Base
import Fixtures
import Seeded
@testable import Core
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@Suite struct CheckInTextsTests {
    private static let day = PlannerFixture.date("2026-11-20")
    private static let conversation = "0f4a1c3e-9b7d-4c2a-8e5f-001122334455"

    private static func question(
        _ user: UUID = PlannerFixture.userID,
        _ slot: LocalDate = day,
        last: Int32? = nil,
        context: String? = nil
    ) -> CheckInTexts.Question {
        CheckInTexts.Question(user: user, slot: slot, last: last, context: RecipientContext(json: context))
    }

    private static func text(_ choice: CheckInTexts.Choice?) -> String {
        choice.map { String(decoding: $0.payload, as: UTF8.self) } ?? "none"
    }

    // MARK: Which one

    /// Each as often as its weight says, within five standard deviations; over users, and over one user's days.
    /// The number is that of the text which the page names, also by an older daemon beside this one.
    @Test(arguments: Seeds.all) func hash_isOfTheText(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<200 {
            let (user, slot) = (random.uuid(), Self.day + random.int(-4000...4000))
            let text = "\(user.uuidString.lowercased()):\(slot.iso):template"
            #expect(CheckInTexts.hash(user, slot) == text.stableHash, "seed \(seed)")
        }
    }

    @Test(arguments: Seeds.all) func templates_whenDrawnOften_comeAsTheirWeightsSay(seed: UInt64) {
        print("seed \(seed)")
        var random = SplitMix64(seed: seed)
        let weights = (0..<random.int(2...6)).map { _ in Int32(random.int(1...9)) }
        let all = weights.enumerated().map { StoredTemplate(id: Int32($0 + 1), title: "t\($0)", body: "", weight: $1) }
        let checkInTexts = CheckInTexts(templates: all)
        let total = Double(weights.reduce(0, +))
        let one = random.uuid()
        for isOneUser in [false, true] {
            let draws = 6_000
            var counts = [Int](repeating: 0, count: weights.count)
            for index in 0..<draws {
                let user = isOneUser ? one : random.uuid()
                let slot = isOneUser ? Self.day + index : Self.day
                let choice = checkInTexts.choose(Self.question(user, slot))
                if let template = choice?.text.id { counts[Int(template) - 1] += 1 }
            }
            #expect(counts.reduce(0, +) == draws)
            for (count, weight) in zip(counts, weights) {
                let share = Double(weight) / total
                let deviation = (Double(draws) * share * (1 - share)).squareRoot()
                #expect(
                    abs(Double(count) - Double(draws) * share) <= 5 * deviation + 1,
                    "seed \(seed), one user \(isOneUser): \(counts) of \(weights)"
                )
            }
        }
    }

    /// Anything may change between two check-ins: templates come, go, get another weight or text, the context changes.
    @Test(arguments: Seeds.all) func text_whenEverythingChanges_neverComesTwiceRunning(seed: UInt64) {
        print("seed \(seed)")
        var random = SplitMix64(seed: seed)
        let texts = ["one", "two {first_name}", "three {topic}", "four", "five {first_name} {topic}"]
        for _ in 0..<40 {
            let user = random.uuid()
            var last: Int32?
            var lastText = ""
            for day in 0..<60 {
                let stored = (1...random.int(1...8)).compactMap { id -> StoredTemplate? in
                    guard random.chance(70) else { return nil }
                    let locale = random.pick([nil, nil, "de", "de-at"] as [String?])
                    let (title, weight) = (random.pick(texts), Int32(random.int(1...9)))
                    return StoredTemplate(id: Int32(id), locale: locale, title: title, body: "", weight: weight)
                }
                let ann = [#"{"first_name": "Ann"}"#, #"{"first_name": "Ann", "topic": "tea", "locale": "de-AT"}"#]
                let context = random.pick([nil, "{}", ann[0], ann[1], "[]"] as [String?])
                let question = Self.question(user, Self.day + day, last: last, context: context)
                let checkInTexts = CheckInTexts(templates: stored)
                let choice = checkInTexts.choose(question)
                // The same from the rows in any order.
                let shuffled = CheckInTexts(templates: stored.shuffled(using: &random)).choose(question)
                #expect(shuffled?.text.id == choice?.text.id && shuffled?.payload == choice?.payload)
                if let template = choice?.text.id {
                    let now = stored.first { $0.id == template }
                    let before = stored.first { $0.id == last }
                    if now?.title == before?.title {
                        // Only if no other fits.
                        let fits = checkInTexts.templateOutcomes(question).filter { $0.outcome == .notDrawn }
                        #expect(fits.isEmpty, "seed \(seed)")
                    }
                    #expect(Self.text(choice).contains("{") && !Self.text(choice).contains("{first_name}"))
                }
                lastText = Self.text(choice)
                last = choice?.text.id
                check(checkInTexts, question, choice)
            }
            #expect(!lastText.isEmpty)
        }
    }

    private func check(_ texts: CheckInTexts, _ question: CheckInTexts.Question, _ choice: CheckInTexts.Choice?) {
        let templateOutcomes = texts.templateOutcomes(question)
        #expect(templateOutcomes.first { $0.outcome == .chosen }?.template == choice?.text.id)
        for (template, outcome) in templateOutcomes where template == question.last && outcome != .otherLocale {
            #expect(outcome == .last || outcome == .chosen)
        }
    }

    /// Two rows with the same text look the same to a user.
    @Test func template_whenAnotherHasItsText_isPassedOver() {
        let checkInTexts = CheckInTexts(templates: [
            StoredTemplate(id: 1, title: "a", body: "b"), StoredTemplate(id: 2, title: "a", body: "b", weight: 9),
            StoredTemplate(id: 3, title: "c", body: "d"),
        ])
        #expect(checkInTexts.choose(Self.question(last: 1))?.text.id == 3)
    }

    @Test func templates_whenOfOtherDomainsOrLocales_areNotTaken() {
        let checkInTexts = CheckInTexts(templates: [
            StoredTemplate(id: 1, domain: "work", title: "work", body: ""),
            StoredTemplate(id: 2, locale: "de", title: "deutsch", body: ""),
            StoredTemplate(id: 3, locale: "pt_BR", title: "brasil", body: ""),
            StoredTemplate(id: 4, locale: "pt", title: "portugal", body: ""),
            StoredTemplate(id: 5, locale: "fr", title: "{first_name}", body: ""),
        ])
        func chosen(_ context: String?, last: Int32? = nil) -> Int32? {
            checkInTexts.choose(Self.question(last: last, context: context))?.text.id
        }
        #expect(chosen(nil) == nil)
        #expect(chosen(#"{"domain": "home"}"#) == nil)
        #expect(chosen(#"{"domain": "work"}"#) == 1)
        #expect(chosen(#"{"locale": "de-CH"}"#) == 2)
        #expect(chosen(#"{"locale": "pt-BR"}"#) == 3)
        // Exact, then the language, then the default.
        #expect(chosen(#"{"locale": "pt-BR"}"#, last: 3) == 4)
        #expect(chosen(#"{"locale": "pt-PT"}"#) == 4)
        #expect(chosen(#"{"locale": "pt-PT", "domain": "work"}"#, last: 4) == 1)
        #expect(chosen(#"{"locale": "fr", "domain": "work"}"#) == 1)
        #expect(chosen(#"{"locale": "fr", "domain": "work", "first_name": "Ann"}"#) == 5)
    }

    // MARK: What the push says

    @Test func push_whenTheContextHasAConversation_opensIt() {
        let checkInTexts = CheckInTexts(templates: [StoredTemplate(id: 1, title: "Hi {first_name}", body: "b")])
        let context = #"{"first_name": "Ann \"A\"", "conversation_id": "\#(Self.conversation)", "domain": "home"}"#
        #expect(
            Self.text(checkInTexts.choose(Self.question(context: context)))
                == #"{"aps":{"alert":{"title":"Hi Ann \"A\"","body":"b"},"sound":"default"},"conversation_id":"\#(Self.conversation)","domain":"home","action":"open_conversation"}"#
        )
    }

    @Test func action_whenTheTemplateSaysIt_isTaken() {
        let stored = StoredTemplate(id: 1, title: "go on", body: "", action: "open_conversation")
        let checkInTexts = CheckInTexts(templates: [stored])
        let context = #"{"conversation_id": "\#(Self.conversation)"}"#
        #expect(checkInTexts.choose(Self.question(context: "{}"))?.text.id == nil)
        let outcomes = checkInTexts.templateOutcomes(Self.question(context: "{}")).map(\.outcome)
        #expect(outcomes == [.missing(["conversation_id"])])
        #expect(checkInTexts.choose(Self.question(context: context))?.text.id == 1)
        let new = CheckInTexts(templates: [StoredTemplate(id: 1, title: "again", body: "", action: "new_conversation")])
        let text = Self.text(new.choose(Self.question(context: context)))
        #expect(text.contains("new_conversation") && !text.contains(Self.conversation))
    }

    /// Apple takes 4,096 bytes, of which 47 are for the nudge's name.
    @Test func template_whenTooLongWithTheContext_isSkipped() {
        let checkInTexts = CheckInTexts(templates: [
            StoredTemplate(id: 1, title: "{topic}", body: "", weight: 1_000),
            StoredTemplate(id: 2, title: "short", body: ""),
        ])
        func context(_ count: Int) -> String { #"{"topic": "\#(String(repeating: "x", count: count))"}"# }
        let one = CheckInTexts(templates: [StoredTemplate(id: 1, title: "{topic}", body: "")])
        let frame = Self.text(one.choose(Self.question(context: context(1)))).utf8.count - 1
        let users = (0..<50).map { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, $0)) }
        let fits = context(4_049 - frame)
        #expect(users.contains { checkInTexts.choose(Self.question($0, context: fits))?.text.id == 1 })
        for user in users {
            let question = Self.question(user, context: context(4_050 - frame))
            #expect(checkInTexts.choose(question)?.text.id == 2)
            #expect(checkInTexts.templateOutcomes(question).map(\.outcome) == [.tooLong, .chosen])
        }
    }

    /// The devices that are left get what the others got, though it is the last one.
    @Test func again_whenDevicesAreLeft_hasTheSameText() {
        let checkInTexts = CheckInTexts(templates: [
            StoredTemplate(id: 1, title: "a", body: ""), StoredTemplate(id: 2, title: "{name}", body: ""),
        ])
        #expect(checkInTexts.again(1, .none)?.text.id == 1)
        for gone in [2, 7, nil] as [Int32?] { #expect(checkInTexts.again(gone, .none) == nil) }
    }

    /// A number out of the whole range falls to the same one on every machine and run.
    @Test func choice_isFixed() {
        let texts = CheckInTexts(templates: (1...5).map { StoredTemplate(id: $0, title: "\($0)", body: "") })
        let chosen = (0..<12).map { texts.choose(Self.question(PlannerFixture.userID, Self.day + $0))?.text.id ?? 0 }
        #expect(chosen == [1, 5, 4, 1, 5, 5, 5, 5, 3, 2, 4, 5])
    }
}
