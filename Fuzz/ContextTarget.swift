import Base
import Fixtures
import JSON
@testable import Core

/// Reads the input as a user's context, and fills a template with it.
///
/// The first byte chooses the template. From 128 on, the input brings its own: title, body and context with a byte 0
/// between them.
enum ContextTarget {
    private static let most = 4_096
    private static let slot = PlannerFixture.date("2026-11-20")
    private static let templates = [
        template("Hi {first_name}", "{{}} {count} to do"), template("{a}{b}{c}", "{first_name}{first_name}"),
        template(String(repeating: "x", count: 3_900), "{first_name}", action: "open_conversation"),
        template("Hello", "there", domain: "home", action: "new_conversation"),
    ]

    private static func template(
        _ title: String,
        _ body: String,
        domain: String? = nil,
        action: String? = nil
    ) -> StoredTemplate {
        StoredTemplate(id: 1, domain: domain, title: title, body: body, action: action)
    }

    static func run(_ input: UnsafeRawBufferPointer) -> Int32 {
        guard let head = input.first else { return -1 }
        var texts = input.dropFirst()
            .split(separator: 0, maxSplits: head < 128 ? 0 : 2, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        let context = RecipientContext(json: texts.popLast())
        var stored = templates[Int(head) % templates.count]
        if head >= 128 { stored = template(texts.first ?? "", texts.dropFirst().first ?? "") }
        checkValues(context)
        checkTexts(context, stored)
        checkQuestion(context)
        return 0
    }

    private static func checkValues(_ context: RecipientContext) {
        require(context.locales.count <= 8, "\(context.locales.count) locales")
        for member in context.object.members.prefix(50) {
            guard let text = context.text(member.key) else { continue }
            let scalars = text.unicodeScalars
            require(!text.isBlank, "a blank value")
            require(scalars.allSatisfy { $0.properties.generalCategory != .control }, "a control character")
        }
    }

    /// Whatever the context says, a check-in fits into a push, or there is none.
    private static func checkTexts(_ context: RecipientContext, _ stored: StoredTemplate) {
        let texts = CheckInTexts(templates: [stored])
        let question = CheckInTexts.Question(user: PlannerFixture.userID, slot: slot, last: nil, context: context)
        let choice = texts.choose(question)
        require(choice?.payload == texts.choose(question)?.payload, "two answers about one question")
        let again = texts.again(choice?.text.id, context)
        require(choice?.payload == again?.payload, "another text for the other devices")
        let outcomes = texts.templateOutcomes(question).map(\.outcome)
        require(outcomes.contains(.chosen) == (choice != nil), "explained wrongly")
        guard let choice else { return }
        let payload = choice.payload
        require(payload.count <= most, "\(payload.count) bytes")
        require(payload.allSatisfy { $0 >= 0x20 }, "a control character in a payload")
        guard case .object(let object)? = try? JSONValue(parsing: payload) else {
            return require(false, "a payload that is no JSON")
        }
        let known = ["aps", "conversation_id", "domain", "action"]
        require(object.members.allSatisfy { known.contains($0.key) }, "another member")
        let alert = object["aps"]?["alert"]
        let content = choice.text.content(for: context)
        require(content?.title == alert?["title"]?.text && content?.body == alert?["body"]?.text, "another text")
    }

    /// The decision service gets the context as it is.
    private static func checkQuestion(_ context: RecipientContext) {
        let question = DecisionQuestion(
            kind: .checkIn,
            userID: PlannerFixture.userID,
            slot: slot,
            priority: .urgent,
            title: "Hello",
            body: "How is it going?",
            context: context.object
        )
        // One level deeper than the context.
        let json = try? JSONValue(parsing: question.json, maximumDepth: JSONValue.maximumDepth + 1)
        require(json?["context"] == .object(context.object), "another context")
    }
}
