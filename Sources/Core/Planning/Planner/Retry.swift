import APNs
import JSON
package import Policy
package import TimeZones

import struct FoundationEssentials.UUID

/// What is left of a nudge that not all devices have answered: an element of the column `nudged.person.retry`. A nudge
/// counts once. If a device was answered (`countedAt`), the others follow under the first answer until `validUntil`,
/// then without its own entry in the history. Else the policy is evaluated each time.
package struct Retry: Sendable, Equatable {
    package struct Left: Sendable, Equatable {
        package let deviceHash: String
        package let notBefore: Instant
        /// Whether the device may have got it. Then it is repeated once, with the same ids.
        var isRepeat: Bool = false
    }

    /// The first back-off after a delayed push, except for a 429. It doubles with each.
    static let backOffSeconds: Int64 = 900
    /// A push that was not written may be claimed again at once, but not twice by one sweep.
    static let unsentSeconds: Int64 = 1
    /// A refused token waits a little longer than its window of answers.
    static let refusalSeconds = RefusalWindow.spanSeconds + 5

    package let identity: NudgeIdentity
    /// What the record names: the messages of a digest, else the nudge itself.
    let members: [NudgeIdentity]
    /// When the first answer ends. nil: never.
    package let validUntil: Instant?
    /// The version of the first answer. After a change the nudge is evaluated again.
    let version: Int64
    /// Delayed attempts so far: the back-off doubles with each.
    let attempt: Int
    /// When the nudge was entered in the history. nil: it does not count yet.
    let countedAt: Instant?
    package private(set) var left: [Left]

    package var counts: Bool { countedAt != nil }

    func isOver(at now: Instant) -> Bool { validUntil.map { now >= $0 } ?? false }

    var dueAt: Instant { left.map(\.notBefore).min() ?? validUntil ?? Instant(seconds: 0) }

    /// No device is tried before `nextAt`: a back-off that ends in quiet hours would be tried each second.
    func postponed(by decision: Decision) -> Retry {
        guard let next = decision.nextAt else { return self }
        return keeping(
            left.map { Left(deviceHash: $0.deviceHash, notBefore: max($0.notBefore, next), isRepeat: $0.isRepeat) }
        )
    }

    func keeping(_ left: [Left]) -> Retry {
        var kept = self
        kept.left = left
        return kept
    }
}

extension Sequence where Element == Retry.Left {
    var repeats: Set<String> { Set(filter(\.isRepeat).map(\.deviceHash)) }
}

/// The column `nudged.person.retry`: an array of what is left of nudges. A single check-in is stored without the array.
extension Retry {
    /// Empty if the text can't be read. Then the nudges are evaluated as if nothing had been tried.
    package static func all(json text: String) -> [Retry] {
        guard let value = try? JSONValue(parsing: text) else { return [] }
        if case .array(let items) = value { return items.compactMap(Retry.init) }
        return [Retry(value)].compactMap(\.self)
    }

    /// Whether this version knows all of a text. If it does not, a newer version wrote it.
    static func knows(json text: String) -> Bool {
        guard let all = try? JSONValue(parsing: text), names(in: all).allSatisfy(names.contains) else { return false }
        guard case .array(let items) = all else { return Retry(all) != nil }
        return items.allSatisfy { Retry($0) != nil }
    }

    private static let names: Set = [
        "slot", "kind", "key", "members", "valid_until", "version", "attempt", "counted_at", "left", "device",
        "not_before", "repeat",
    ]

    private static func names(in value: JSONValue) -> [String] {
        switch value {
        case .array(let items): items.flatMap(names)
        case .object(let object): object.members.flatMap { [$0.key] + names(in: $0.value) }
        default: []
        }
    }

    /// nil: nothing is left.
    package static func json(_ retries: [Retry]) -> String? {
        guard let first = retries.first else { return nil }
        if retries.count == 1, first.identity.slot != nil { return first.json }
        return "[\(retries.map(\.json).joined(separator: ","))]"
    }

    private init?(_ value: JSONValue) {
        guard let identity = Self.identity(value),
            case .int(let version)? = value["version"],
            case .int(let attempt)? = value["attempt"], let attempt = Int(exactly: attempt), attempt >= 0,
            case .array(let left)? = value["left"]
        else { return nil }
        let end = Self.instant(value["valid_until"])
        // A check-in's answer always ends.
        guard end != nil || identity.slot == nil else { return nil }
        var members = [identity]
        if case .array(let keys)? = value["members"] {
            members = keys.compactMap { Self.name($0).map { NudgeIdentity(kind: identity.kind, key: $0, slot: nil) } }
        }
        self.init(
            identity: identity,
            members: members,
            validUntil: end,
            version: version,
            attempt: min(attempt, 20),
            countedAt: Self.instant(value["counted_at"]),
            left: left.compactMap(Self.left)
        )
    }

    private static func identity(_ value: JSONValue) -> NudgeIdentity? {
        if case .string(let slot)? = value["slot"], let slot = LocalDate(iso: slot) { return .checkIn(slot) }
        guard case .string(let kind)? = value["kind"], let kind = NudgeKind(rawValue: kind), kind != .checkIn,
            let key = name(value["key"])
        else { return nil }
        return NudgeIdentity(kind: kind, key: key, slot: nil)
    }

    private static func left(_ item: JSONValue) -> Left? {
        guard let hash = name(item["device"]), let at = instant(item["not_before"]) else { return nil }
        return Left(deviceHash: hash, notBefore: at, isRepeat: item["repeat"] == .bool(true))
    }

    /// A key or a hash. nil: it would have to be escaped, so nudged did not write it.
    private static func name(_ value: JSONValue?) -> String? {
        guard let text = value?.text,
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
        else { return nil }
        return text
    }

    private static func instant(_ value: JSONValue?) -> Instant? { value?.text.flatMap { Instant(rfc3339: $0) } }

    /// Needs no escaping: it holds only dates, numbers, and names that `name` accepts.
    private var json: String {
        let devices = left.map {
            #"{"device":"\#($0.deviceHash)","not_before":"\#($0.notBefore.rfc3339)"\#($0.isRepeat ? #","repeat":true"# : "")}"#
        }
        let name =
            identity.slot.map { #""slot":"\#($0.iso)""# }
            ?? #""kind":"\#(identity.kind.rawValue)","key":"\#(identity.key)""#
        let of = identity.isDigest ? #","members":[\#(members.map { #""\#($0.key)""# }.joined(separator: ","))]"# : ""
        let end = validUntil.map { #""\#($0.rfc3339)""# } ?? "null"
        let counted = countedAt.map { #""counted_at":"\#($0.rfc3339)","# } ?? ""
        return
            #"{\#(name)\#(of),"valid_until":\#(end),"version":\#(version),"attempt":\#(attempt),"#
            + #"\#(counted)"left":[\#(devices.joined(separator: ","))]}"#
    }
}

package struct NudgeIdentity: Sendable, Hashable {
    package let kind: NudgeKind
    /// Unique for a user and kind: a check-in's slot, or the id of a message or reminder.
    package let key: String
    package private(set) var slot: LocalDate?

    static func checkIn(_ slot: LocalDate) -> NudgeIdentity { NudgeIdentity(kind: .checkIn, key: slot.iso, slot: slot) }

    // The key is the id as PostgreSQL writes it.
    static func message(_ id: UUID) -> Self { Self(kind: .message, key: id.uuidString.lowercased()) }
    static func reminder(_ id: UUID) -> Self { Self(kind: .reminder, key: id.uuidString.lowercased()) }
    /// Several messages sent as one. Named after the oldest, so that a repeat has the same name.
    static func digest(of first: Self) -> Self { Self(kind: .message, key: digestPrefix + first.key) }

    /// The id of its row. nil: a check-in or a digest, which has none.
    var rowID: UUID? { kind == .checkIn ? nil : UUID(uuidString: key) }

    private static let digestPrefix = "digest:"

    package var isDigest: Bool { kind == .message && key.hasPrefix(Self.digestPrefix) }
}

/// What may be sent to a user: a text, or the next check-in, whose slot the policy names.
enum PendingNudge {
    case checkIn
    case text(PendingText)

    var text: PendingText? { if case .text(let text) = self { text } else { nil } }

    var kind: NudgeKind { text?.identity.kind ?? .checkIn }

    /// The nudge that a decision allows. nil: none.
    func identity(sentBy decision: Decision) -> NudgeIdentity? {
        guard decision.action == .send else { return nil }
        return text?.identity ?? decision.slot.map(NudgeIdentity.checkIn)
    }
}
