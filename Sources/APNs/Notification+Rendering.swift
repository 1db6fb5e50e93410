import FoundationEssentials
import JSON

extension Notification {
    /// Appends the payload as JSON: `{"aps":{…},"conversation_id"?,"domain"?,"action",…}`. It builds no tree of values,
    /// because it runs once for each nudge.
    package func render(into out: inout [UInt8]) {
        if let surface { return render(surface, into: &out) }
        if isSilent {
            JSONText.append(literal: "{\"aps\":{", to: &out)
            if isContentAvailable { JSONText.append(literal: "\"content-available\":1", to: &out) }
            JSONText.append(literal: isContentAvailable ? ",\"badge\":" : "\"badge\":", raw: badge, to: &out)
            out.append(UInt8(ascii: "}"))
        } else {
            JSONText.append(literal: "{\"aps\":{\"alert\":{", to: &out)
            renderAlert(into: &out)
            out.append(UInt8(ascii: "}"))
            renderOptions(into: &out)
            out.append(UInt8(ascii: "}"))
        }
        if let conversationID {
            JSONText.append(literal: ",\"conversation_id\":\"", to: &out)
            JSONText.append(conversationID, to: &out)
            out.append(UInt8(ascii: "\""))
        }
        JSONText.append(literal: ",\"domain\":", domain, to: &out)
        JSONText.append(literal: ",\"withdraw\":", withdraws, to: &out)
        // Without text, there is nothing to tap.
        if !isSilent {
            JSONText.append(literal: ",\"action\":", action, to: &out)
            JSONText.append(literal: ",\"image_url\":", imageURL, to: &out)
        }
        out.append(contentsOf: custom.rendered)
        out.append(UInt8(ascii: "}"))
    }

    private func render(_ surface: Surface, into out: inout [UInt8]) {
        JSONText.append(literal: "{\"aps\":{", to: &out)
        if case .activity(let activity) = surface {
            activity.render(into: &out)
            if !title.isEmpty || !body.isEmpty {
                JSONText.append(literal: ",\"alert\":{", to: &out)
                renderAlert(into: &out)
                // Apple's example has it here, others send it beside the alert.
                JSONText.append(literal: ",\"sound\":", sound, to: &out)
                out.append(UInt8(ascii: "}"))
                JSONText.append(literal: ",\"sound\":", sound, to: &out)
            }
            renderScore(into: &out)
        } else {
            JSONText.append(literal: "\"content-changed\":true", to: &out)
        }
        JSONText.append(literal: "}}", to: &out)
    }

    /// The most bytes of a payload that gets a nudge's name as well.
    package static let unnamedLimit =
        PushBatch.payloadLimit - ",\"nudge\":\"00000000-0000-0000-0000-000000000000\"".utf8.count

    /// Appends a rendered payload with the nudge's name as its last member: the app gives it back when the user opens
    /// the nudge. `name`: a date or a UUID, so it needs no escape.
    package static func append(_ payload: [UInt8], named name: String, to out: inout [UInt8]) {
        out.append(contentsOf: payload.dropLast())
        JSONText.append(literal: ",\"nudge\":\"", to: &out)
        out.append(contentsOf: name.utf8)
        JSONText.append(literal: "\"}", to: &out)
    }

    /// The payload, if it is within a limit.
    /// - Throws: `APNsError.payloadTooLarge`. Nothing is cut.
    package func rendered(limit: Int = PushBatch.payloadLimit) throws(APNsError) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(320 + title.utf8.count + body.utf8.count)
        render(into: &out)
        guard out.count <= limit else { throw .payloadTooLarge(bytes: out.count, limit: limit) }
        return out
    }

    private func renderAlert(into out: inout [UInt8]) {
        Self.append("\"title\":", title, or: localizedTitle, "\"title-loc-key\":", ",\"title-loc-args\":", to: &out)
        let (key, list): (StaticString, StaticString) = (",\"subtitle-loc-key\":", ",\"subtitle-loc-args\":")
        Self.append(",\"subtitle\":", subtitle, or: localizedSubtitle, key, list, to: &out)
        Self.append(",\"body\":", body, or: localizedBody, ",\"loc-key\":", ",\"loc-args\":", to: &out)
    }

    /// A text, or the localized one that replaces it. `plain`, `key` and `arguments`: the JSON text before each value.
    private static func append(
        _ plain: StaticString,
        _ text: String?,
        or localized: LocalizedText?,
        _ key: StaticString,
        _ arguments: StaticString,
        to out: inout [UInt8]
    ) {
        guard let localized else { return JSONText.append(literal: plain, text, to: &out) }
        JSONText.append(literal: key, localized.key, to: &out)
        guard let list = localized.arguments else { return }
        JSONText.append(literal: arguments, to: &out)
        out.append(UInt8(ascii: "["))
        for (place, argument) in list.enumerated() {
            if place > 0 { out.append(UInt8(ascii: ",")) }
            JSONText.append(argument, to: &out)
        }
        out.append(UInt8(ascii: "]"))
    }

    /// The members of `aps` after the alert.
    private func renderOptions(into out: inout [UInt8]) {
        if let criticalSound {
            JSONText.append(literal: ",\"sound\":{\"critical\":1,\"name\":", criticalSound.name, to: &out)
            JSONText.append(literal: ",\"volume\":", raw: criticalSound.volume, to: &out)
            out.append(UInt8(ascii: "}"))
        } else {
            JSONText.append(literal: ",\"sound\":", sound, to: &out)
        }
        JSONText.append(literal: ",\"badge\":", raw: badge, to: &out)
        JSONText.append(literal: ",\"thread-id\":", threadID, to: &out)
        JSONText.append(literal: ",\"category\":", category, to: &out)
        JSONText.append(literal: ",\"interruption-level\":", interruptionLevel?.rawValue, to: &out)
        renderScore(into: &out)
        if mutableContent || imageURL != nil { JSONText.append(literal: ",\"mutable-content\":1", to: &out) }
        JSONText.append(literal: ",\"filter-criteria\":", filterCriteria, to: &out)
        JSONText.append(literal: ",\"target-content-id\":", targetContentID, to: &out)
    }

    private func renderScore(into out: inout [UInt8]) {
        guard let relevanceScore, relevanceScore.isFinite else { return }
        JSONText.append(literal: ",\"relevance-score\":", raw: relevanceScore, to: &out)
    }
}

/// Writes JSON text (RFC 8259) directly into bytes.
enum JSONText {
    /// A string in quotes.
    static func append(_ text: String, to out: inout [UInt8]) { JSONValue.appendQuoted(text, to: &out) }

    /// A literal, then a string in quotes. Nothing without a string.
    static func append(literal: StaticString, _ text: String?, to out: inout [UInt8]) {
        guard let text else { return }
        append(literal: literal, to: &out)
        append(text, to: &out)
    }

    /// A literal, then a number or JSON text as it is. Nothing without a value.
    static func append(literal: StaticString, raw value: (some CustomStringConvertible)?, to out: inout [UInt8]) {
        guard let value else { return }
        append(literal: literal, to: &out)
        out.append(contentsOf: value.description.utf8)
    }

    /// The 36 characters in lower case (RFC 9562, section 4), without quotes.
    static func append(_ uuid: UUID, to out: inout [UInt8]) {
        var text = InlineArray<36, UInt8>(repeating: UInt8(ascii: "-"))
        withUnsafeBytes(of: uuid.uuid) { bytes in
            var place = 0
            for (index, byte) in bytes.enumerated() {
                if index == 4 || index == 6 || index == 8 || index == 10 { place += 1 }
                text[place] = hexadecimal(byte >> 4)
                text[place + 1] = hexadecimal(byte & 15)
                place += 2
            }
        }
        text.span.withUnsafeBufferPointer { out.append(contentsOf: $0) }
    }

    /// Sixteen lower-case digits, without quotes.
    static func append(hexadecimal word: UInt64, to out: inout [UInt8]) {
        for place in 0..<16 { out.append(hexadecimal(UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * place)) & 15)) }
    }

    /// A literal of this program that needs no escape.
    static func append(literal text: StaticString, to out: inout [UInt8]) {
        text.withUTF8Buffer { out.append(contentsOf: $0) }
    }

    static func hexadecimal(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? nibble + UInt8(ascii: "0") : nibble - 10 + UInt8(ascii: "a")
    }
}
