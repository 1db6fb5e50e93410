import APNs

/// Reads the input as Apple's answer: the status, whether it is truncated, Retry-After, the body.
enum AnswersTarget {
    private static let statuses = [200, 400, 403, 404, 405, 410, 413, 429, 500, 503]

    static func run(_ input: UnsafeRawBufferPointer) -> Int32 {
        guard input.count >= 3 else { return -1 }
        // Every eleventh kind gives a status without a meaning.
        let kind = Int(input[0])
        let status = kind % 11 < 10 ? statuses[kind % 11] : 100 + kind * 2
        let isTruncated = input[1] & 0x80 != 0
        let length = min(Int(input[2] & 0x1F), input.count - 3)
        let after = input[1] & 1 != 0 ? String(decoding: input[3..<3 + length], as: UTF8.self) : nil
        let body = Array(input[(3 + length)...])
        let answer = Answer(status: status, body: body, isTruncated: isTruncated, retryAfter: after)
        check(answer, body, isTruncated)
        return 0
    }

    private static func check(_ answer: Answer, _ body: [UInt8], _ isTruncated: Bool) {
        require(answer.status != 200 || answer.action == .accepted, "200 is accepted")
        require(answer.status == 200 || answer.action != .accepted, "nothing but 200 is accepted")
        if let seconds = answer.retryAfter { require((0...604_800).contains(seconds), "Retry-After \(seconds)") }
        if let timestamp = answer.timestamp { require(timestamp > 0, "timestamp \(timestamp)") }
        if answer.reason != nil || answer.timestamp != nil {
            require(!isTruncated && answer.status != 200 && looksLikeObject(body), "a reason out of no JSON object")
            if let reason = answer.reason { require(says(body, reason), "a reason that the body doesn't hold") }
        }
        switch answer.action {
        case .deleteToken:
            require(answer.status == 410, "deletes on \(answer.status)")
            require(["Unregistered", "ExpiredToken"].contains(answer.reason), "deletes for another reason")
        case .stopLane(let remedy):
            require(
                [400, 403].contains(answer.status) && answer.reason != nil && !remedy.isEmpty,
                "stops without a word"
            )
        case .quarantine, .ourBug, .refreshToken, .newConnection, .restConnection, .delayDevice, .reconnect:
            require(answer.reason != nil, "acts without a reason")
        case .backOff: require(answer.status >= 500, "backs off on \(answer.status)")
        case .accepted, .reject: break
        }
    }

    /// Checks without the parser: UTF-8, braces around it, a member of that name (or an escape that may be one).
    private static func looksLikeObject(_ body: [UInt8]) -> Bool {
        let space: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
        guard body.first(where: { !space.contains($0) }) == UInt8(ascii: "{"),
            body.last(where: { !space.contains($0) }) == UInt8(ascii: "}"),
            let text = String(validating: body, as: UTF8.self)
        else { return false }
        return text.utf8.contains(UInt8(ascii: "\\")) || says(body, "\"reason\"")
    }

    private static func says(_ body: [UInt8], _ text: String) -> Bool {
        if body.contains(UInt8(ascii: "\\")) { return true }
        let text = Array(text.utf8)
        guard body.count >= text.count else { return false }
        return (0...body.count - text.count).contains { body[$0..<$0 + text.count].elementsEqual(text) }
    }
}
