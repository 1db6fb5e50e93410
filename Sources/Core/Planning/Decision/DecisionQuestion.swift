import JSON
import NudgedPreferences
import Policy
package import TimeZones

package import struct FoundationEssentials.UUID

/// What the decision service is asked about a nudge that the policy allows.
package struct DecisionQuestion: Sendable {
    let kind: NudgeKind
    package let userID: UUID
    /// nil: not a check-in.
    let slot: LocalDate?
    /// `urgent` if the policy found the nudge urgent, else `medium`.
    let priority: DecisionPriority
    /// The texts that are sent unless the service replaces them.
    package let title: String
    package let body: String
    /// What the app knows about the user (the view's column `context`). Never a device token.
    let context: JSONObject
    // The user's preferences of these names.
    var pauseThresholdSeconds = Preferences.defaultPauseThresholdSeconds
    var activeConversationThreshold = Preferences.defaultActiveConversationThreshold

    /// `{"kind", "user_id", "slot", "priority", "title", "body", "context", "pause_threshold_seconds",
    /// "active_conversation_threshold"}`, always with every key. `slot` is `YYYY-MM-DD` or null.
    package var json: [UInt8] {
        let text = Fields.text([
            "kind": kind.rawValue, "user_id": userID.uuidString.lowercased(), "slot": slot?.iso,
            "priority": priority.rawValue, "title": title, "body": body, "context": context,
            "pause_threshold_seconds": pauseThresholdSeconds,
            "active_conversation_threshold": activeConversationThreshold,
        ])
        return Array(text.utf8)
    }
}

enum DecisionPriority: String, Sendable, CaseIterable {
    case low, medium, high, urgent

    /// As a service writes it: `normal` is another name of `medium`. nil: none of them.
    init?(answered name: String) { self.init(rawValue: name == "normal" ? "medium" : name) }
}

package struct DecisionAnswer: Sendable, Equatable {
    let shouldNotify: Bool
    let priority: DecisionPriority
    /// For the record: one line of at most `mostReason` scalars. Quotations of the texts are removed.
    let reason: String
    /// Replaces the nudge's own title. nil: no change. `body` likewise.
    var title: String?
    var body: String?
}

extension DecisionAnswer {
    /// Unicode scalars, as PostgreSQL counts characters.
    static let mostReason = 200
    /// The most bytes of a title and a body in JSON. A third of a payload's 4,096 bytes stays free for the rest.
    static let mostTitle = 256
    static let mostBody = 2_560

    /// Reads `{"should_notify", "priority", "reason", "title"?, "body"?}` strictly: what is missing, too long, empty or
    /// of another type makes all invalid. A null text counts as absent. The record must not contain `texts`.
    package init(parsing bytes: [UInt8], hiding texts: [String]) throws(DecisionFailure) {
        guard case .object(let object)? = try? JSONValue(parsing: bytes) else {
            throw .nonsense(member: nil, wanted: "a JSON object")
        }
        guard case .bool(let shouldNotify)? = object["should_notify"] else {
            throw .nonsense(member: "should_notify", wanted: "true or false")
        }
        guard let priority = object["priority"]?.text.flatMap(DecisionPriority.init(answered:)) else {
            throw .nonsense(member: "priority", wanted: "urgent, high, medium, normal or low")
        }
        guard let reason = object["reason"]?.text else { throw .nonsense(member: "reason", wanted: "a string") }
        (self.shouldNotify, self.priority) = (shouldNotify, priority)
        title = try Self.text(object, "title", most: Self.mostTitle)
        body = try Self.text(object, "body", most: Self.mostBody)
        let line = reason.oneLine(most: Self.mostReason)
        self.reason = Quotation.masked(line, of: texts + [title, body].compactMap { $0 })
    }

    private static func text(_ object: JSONObject, _ member: String, most: Int) throws(DecisionFailure) -> String? {
        let value = object[member] ?? .null
        if value == .null { return nil }
        guard let text = value.text, !text.isBlank else { throw .nonsense(member: member, wanted: "a text, or null") }
        guard size(text) <= most else { throw .nonsense(member: member, wanted: "at most \(most) bytes of a payload") }
        return text
    }

    /// The size in JSON, where a control character may take six bytes.
    private static func size(_ text: String) -> Int {
        text.utf8.reduce(0) { sum, byte in
            sum + (byte < 0x20 ? 6 : byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 2 : 1)
        }
    }
}

/// When the decision service was last asked about a user: at most `max_analyses_per_hour` times in any 3,600 s. The
/// user's row holds it, for all daemons and restarts. The range's owner writes it before each question.
package struct AnalysisBudget: Sendable, Equatable {
    /// Seconds.
    static let span: Int64 = 3_600
    /// The largest limit that a user can set. No more instants need to be kept.
    static let most = 20

    /// In ascending order, at most `most`.
    package private(set) var asked: [Instant]

    /// From the row's instants, in any order. Dropped: those an hour or more from `now`, also ahead (a wrong clock).
    package init(_ instants: [Instant], now: Instant) {
        asked = Array(instants.filter { Self.counts($0, now) }.sorted().suffix(Self.most))
    }

    package func allows(_ limit: Int, now: Instant) -> Bool {
        asked.count { Self.counts($0, now) } < min(limit, Self.most)
    }

    package mutating func spend(now: Instant) { self = AnalysisBudget(asked + [now], now: now) }

    private static func counts(_ at: Instant, _ now: Instant) -> Bool { at > now - span && at < now + span }
}

/// Removes quotations of a nudge's texts from a reason: texts are deleted with the nudge, and the record keeps no copy.
/// Only letters and digits are compared, without case. A quotation is a shared run of 12 bytes in UTF-8, of four digits
/// (a code), or a whole text of four bytes or more. Bytes, because some scripts need few characters for a sentence.
enum Quotation {
    private static let longRun = 12
    private static let shortRun = 4

    /// A letter or digit, and its place in the reason.
    private typealias Mark = (scalar: Unicode.Scalar, place: Int)

    /// The reason with `…` in place of each quotation.
    static func masked(_ reason: String, of texts: [String]) -> String {
        let scalars = Array(reason.unicodeScalars)
        let marks = scalars.indices.flatMap { place in folded(scalars[place]).map { (scalar: $0, place: place) } }
        var isQuoted = Array(repeating: false, count: scalars.count)
        for text in texts.map({ $0.unicodeScalars.flatMap(folded) }) {
            // `lengths[i]`: the length of the common run that ends at letter `i` of the text.
            var lengths = Array(repeating: 0, count: text.count)
            for (index, mark) in marks.enumerated() {
                let before = lengths
                for at in text.indices {
                    lengths[at] = text[at] == mark.scalar ? (at > 0 ? before[at - 1] : 0) + 1 : 0
                }
                let run = marks[(index + 1 - (lengths.max() ?? 0))..<(index + 1)]
                guard let first = run.first, isQuotation(run, of: text) else { continue }
                for place in first.place...mark.place { isQuoted[place] = true }
            }
        }
        guard isQuoted.contains(true) else { return reason }
        var out = String.UnicodeScalarView()
        for (place, scalar) in scalars.enumerated() {
            if !isQuoted[place] { out.append(scalar) } else if place == 0 || !isQuoted[place - 1] { out.append("…") }
        }
        return String(out)
    }

    private static func isQuotation(_ run: ArraySlice<Mark>, of text: [Unicode.Scalar]) -> Bool {
        let bytes = run.reduce(0) { $0 + UTF8.width($1.scalar) }
        let digits = run.reversed().prefix { $0.scalar.properties.generalCategory == .decimalNumber }.count
        return bytes >= longRun || digits >= shortRun || (run.count == text.count && bytes >= shortRun)
    }

    /// In lower case. Empty for anything but a letter or digit.
    private static func folded(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        guard scalar.properties.isAlphabetic || scalar.properties.numericType != nil else { return [] }
        return Array(scalar.properties.lowercaseMapping.unicodeScalars)
    }
}
