import Glibc
import JSON
import LocalPostgres
import TestSupport
import Testing
import TimeZones

@testable import Demo

/// The phone in README shows what the demo sends.
@Suite(.ownThreads, .serialized) struct PhonePictureTests {
    @Test func picture_isOfTheDemosPayload() async throws {
        let start = Instant(seconds: 1_800_000_000)
        let scene = try await PlayedScene(users: 20, seed: 3, start: start, answer: .accepted)
        try await scene.serve(at: start + 6 * 3600)
        let push = scene.apple.simulator.snapshot().accepted.first { $0.pushType == "alert" }
        await scene.end()
        let payload = try #require(push).payload
        let alert = try #require(JSONValue(parsing: payload)["aps"]?["alert"])
        guard case .string(let title)? = alert["title"], case .string(let body)? = alert["body"] else {
            Issue.record("the alert has no title or no body: \(alert)")
            return
        }
        let drawn = Self.picture(title, body)
        let path = Checkout.root + "/docs/images/phone.svg"
        if getenv("NUDGED_WRITE") != nil { try TextFile.write(path, drawn) }
        #expect(TextFile.read(path) == drawn, "NUDGED_WRITE=1 swift test --filter PhonePictureTests draws it again")
    }

    /// A lock screen with one notification.
    private static func picture(_ title: String, _ body: String) -> String {
        func text(_ x: Int, _ y: Int, _ size: Int, _ more: String, _ text: String) -> String {
            let safe = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            return "<text x=\"\(x)\" y=\"\(y)\" font-size=\"\(size)\" \(more)>\(safe)</text>"
        }
        var lines = [""]
        for word in body.split(separator: " ") {
            let longer = lines[lines.count - 1] + (lines[lines.count - 1].isEmpty ? "" : " ") + word
            if longer.count > 38 { lines.append(String(word)) } else { lines[lines.count - 1] = longer }
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 360 230" width="360" role="img" font-family="sans-serif" fill="#fff">
            <title>\(title): \(body)</title>
            <rect width="360" height="270" rx="36" fill="#2b3a55"/>
            \(text(180, 84, 56, "text-anchor=\"middle\" font-weight=\"300\"", "9:30"))
            <rect x="14" y="112" width="332" height="\(62 + 18 * lines.count)" rx="18" fill="#f4f6fa"/>
            <rect x="26" y="128" width="36" height="36" rx="9" fill="#2f8f5b"/>
            \(text(74, 140, 14, "font-weight=\"600\" fill=\"#111\"", title))
            \(lines.enumerated().map { text(74, 160 + 18 * $0.offset, 14, "fill=\"#222\"", $0.element) }.joined(separator: "\n"))
            </svg>

            """
    }
}
