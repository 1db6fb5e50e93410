import TestSupport
import Testing

@testable import Core

@Suite struct DecisionAnswerTests {
    private static func answer(_ json: String, hiding texts: [String] = []) throws(DecisionFailure) -> DecisionAnswer {
        try DecisionAnswer(parsing: Array(json.utf8), hiding: texts)
    }

    /// A good answer with members put over it.
    private static func json(_ members: String) -> String {
        #"{"should_notify": true, "priority": "high", "reason": "r", "# + members + "}"
    }

    @Test func answer_isRead() throws {
        let full = try Self.answer(
            #" {"should_notify": false, "priority": "low", "reason": "late", "title": "T", "body": "B", "more": [1]} "#
        )
        #expect(!full.shouldNotify)
        #expect(full.priority == .low)
        #expect(full.reason == "late")
        #expect(full.title == "T" && full.body == "B")
        let short = try Self.answer(Self.json(#""title": null"#))
        #expect(short.shouldNotify && short.priority == .high && short.title == nil && short.body == nil)
    }

    @Test(
        arguments: [
            ("urgent", .urgent), ("high", .high), ("medium", .medium), ("normal", .medium), ("low", .low),
        ] as [(String, DecisionPriority)]
    ) func priority_isReadByEachOfItsNames(name: String, priority: DecisionPriority) throws {
        #expect(try Self.answer(Self.json("\"priority\": \"\(name)\"")).priority == priority)
    }

    /// `Tests/Reference/nonsense-answers.txt` has answers, and the member that is wrong.
    @Test func answer_whenNonsense_isRefusedWithOurMessage() throws {
        let lines = try Checkout.reference("nonsense-answers")
        #expect(lines.count == 25)
        for line in lines {
            let member = line.prefix { $0 != " " }
            let failure = #expect(throws: DecisionFailure.self) {
                try Self.answer(String(line.dropFirst(member.count + " | ".count)))
            }
            guard let failure, case .nonsense(let found, _) = failure else {
                Issue.record("\(line): \(String(describing: failure))")
                continue
            }
            #expect((found ?? "-") == member && !failure.text.contains("planted"), "\(line)")
        }
    }

    @Test func answer_whenItsBytesAreNoUTF8_isRefused() {
        let bytes = Array(Self.json(#""title": ""#).utf8.dropLast()) + [0xFF] + Array(#""}"#.utf8)
        #expect(throws: DecisionFailure.self) { try DecisionAnswer(parsing: bytes, hiding: []) }
    }

    @Test(arguments: [("title", 256), ("body", 2_560)]) func texts_fitThePayload(member: String, most: Int) throws {
        func answer(_ text: String) throws -> DecisionAnswer {
            try Self.answer(Self.json("\"\(member)\": \"\(text)\""))
        }
        _ = try answer(String(repeating: "x", count: most))
        #expect(throws: DecisionFailure.self) { try answer(String(repeating: "x", count: most + 1)) }
        // A quote takes two bytes in a payload, a control character up to six, é two anywhere.
        _ = try answer(String(repeating: #"\""#, count: most / 2))
        #expect(throws: DecisionFailure.self) { try answer(String(repeating: #"\""#, count: most / 2 + 1)) }
        #expect(throws: DecisionFailure.self) { try answer("x" + String(repeating: #"\u0001"#, count: most / 6 + 1)) }
        #expect(throws: DecisionFailure.self) { try answer(String(repeating: "é", count: most / 2 + 1)) }
    }

    @Test func reason_isOneLineOfTwoHundredScalars() throws {
        // A flag is one character and two scalars: PostgreSQL counts two, and half a flag is still text.
        let long = try Self.answer(Self.json("\"reason\": \"x\(String(repeating: "🇫🇷", count: 120))\""))
        #expect(long.reason.unicodeScalars.count == 200)
        #expect(long.reason.hasSuffix("🇫"))
        let odd = try Self.answer(Self.json(#""reason": "a\nb\u0000c\u001b[31md\u2028e\u009bf""#))
        #expect(odd.reason == "a b c [31md e f")
        let turned = try Self.answer(Self.json(#""reason": "to\u202egnp.exe\u200b""#))
        #expect(turned.reason == "tognp.exe")
        #expect(try Self.answer(Self.json(#""reason": """#)).reason.isEmpty)
    }

    @Test func reason_quotesNoText() throws {
        let text = "Your code is 4711, meet Anna at the old bridge"
        func reason(_ reason: String, _ more: String = "") throws -> String {
            try Self.answer(Self.json("\"reason\": \"\(reason)\"\(more)"), hiding: ["Hello", text]).reason
        }
        #expect(try reason("the user is busy") == "the user is busy")
        #expect(try reason("says 'MEET anna, at the Old bridge' now") == "says '…' now")
        #expect(try reason("code=4711") == "code=…")
        #expect(try reason("a hello from Anna") == "a … from Anna")
        // What the service itself wrote comes of the text too.
        let title = #", "title": "Anna is waiting for you""#
        #expect(try reason("sent as: Anna is waiting for you", title) == "sent as: …")
    }
}
