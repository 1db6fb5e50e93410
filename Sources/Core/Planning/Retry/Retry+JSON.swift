import JSON
import Policy
import TimeZones

/// The column `nudged.person.retry`: an array of what is left of nudges. A single check-in is stored without the array.
extension Retry {
    /// Empty if the text can't be read. Then the nudges are evaluated as if nothing had been tried.
    package static func all(json text: String) -> [Retry] {
        guard let value = try? JSONValue(parsing: text) else { return [] }
        if case .array(let items) = value { return items.compactMap(Retry.init) }
        return [Retry(value)].compactMap(\.self)
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
        var members: [NudgeIdentity]?
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
        var isRepeat = false
        if case .bool(let flag)? = item["repeat"] { isRepeat = flag }
        return Left(deviceHash: hash, notBefore: at, isRepeat: isRepeat)
    }

    /// A key or a hash. nil: it would have to be escaped, so nudged did not write it.
    private static func name(_ value: JSONValue?) -> String? {
        guard case .string(let text)? = value,
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
        else { return nil }
        return text
    }

    private static func instant(_ value: JSONValue?) -> Instant? {
        guard case .string(let text)? = value else { return nil }
        return Instant(rfc3339: text)
    }

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
