import APNs
import Base
import JSON

@testable import Core

/// Reads the input as a decision service's answer. The first byte chooses the nudge's texts, which the record must not
/// quote.
enum DecisionsTarget {
    private static let code = "482913"
    private static let texts = [
        ["Hello", "Your code is \(code), meet Anna at the old bridge"], [code, "緊急事態です"],
    ]

    static func run(_ input: UnsafeRawBufferPointer) -> Int32 {
        guard let head = input.first else { return -1 }
        let bytes = Array(input.dropFirst())
        do throws(DecisionFailure) {
            let answer = try DecisionAnswer(parsing: bytes, hiding: texts[Int(head) % texts.count])
            check(answer, bytes)
        } catch {
            // nudged's own text, whatever the service wrote.
            let text = error.text
            require(text.utf8.count <= 120 && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "says \(text)")
        }
        return 0
    }

    private static func check(_ answer: DecisionAnswer, _ bytes: [UInt8]) {
        require(!answer.shouldNotify || bytes.contains(Array("true".utf8)), "true out of nothing")
        checkReason(answer.reason)
        checkSize(answer.title, DecisionAnswer.mostTitle)
        checkSize(answer.body, DecisionAnswer.mostBody)
        let record = DecisionOutcome(origin: .service, answer: answer).json
        require((try? JSONValue(parsing: record)) != nil && record.utf8.count <= 1_000, "a record of another form")
        // With the service's texts, a push still fits.
        let text = PushText(Notification(title: "Hello", body: "there")).saying(answer.title, answer.body)
        guard let payload = text.payload(passesFocus: true), let json = try? JSONValue(parsing: payload) else {
            return require(false, "a payload that is no JSON")
        }
        let alert = json["aps"]?["alert"]
        require(payload.count <= 4_096 && payload.allSatisfy { $0 >= 0x20 }, "\(payload.count) bytes")
        require(alert?["title"]?.text == answer.title ?? "Hello", "another title")
        require(alert?["body"]?.text == answer.body ?? "there", "another body")
    }

    private static func checkReason(_ reason: String) {
        let scalars = reason.unicodeScalars
        require(scalars.count <= DecisionAnswer.mostReason, "a reason of \(scalars.count) scalars")
        for scalar in scalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: require(false, "a reason of several lines")
            default: break
            }
        }
        require(!Array(reason.utf8).contains(Array(code.utf8)), "a reason that quotes the text")
    }

    private static func checkSize(_ text: String?, _ most: Int) {
        guard let text else { return }
        let size = JSONValue.string(text).bytes.count
        require(!text.isBlank && size <= most + 2, "a text of \(size) bytes")
    }
}
