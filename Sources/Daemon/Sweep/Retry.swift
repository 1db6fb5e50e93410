import JSON
import TimeZones

/// What is left of a nudge whose devices were not all answered: the column `nudged.person.retry`.
///
/// A nudge counts once, whatever its devices: where one of them was answered (`counts`), the others go on under the nudge's first answer until
/// `validUntil`, and are then asked without the nudge's own entry in the history. Where none was, the policy is asked anew each time.
struct Retry: Sendable, Equatable {
    /// A device that is left, and from when on it may be tried.
    struct Left: Sendable, Equatable {
        let deviceHash: String
        let notBefore: Instant
    }

    let slot: LocalDate
    /// When the first answer stops to hold.
    let validUntil: Instant
    /// The version that the first answer was made on: a change asks anew.
    let version: Int64
    /// Attempts so far: the back-off doubles with each.
    let attempt: Int
    /// Whether the nudge counts as sent already.
    let counts: Bool
    let left: [Left]

    /// The earliest instant at which a device may be tried.
    var dueAt: Instant { left.map(\.notBefore).min() ?? validUntil }

    /// nil where the text is none of ours: the nudge is then asked as if nothing had been tried.
    init?(json text: String) {
        guard let value = try? JSONValue(parsing: text),
            case .string(let slot)? = value["slot"], let slot = LocalDate(iso: slot),
            case .string(let end)? = value["valid_until"], let end = Instant(rfc3339: end),
            case .int(let version)? = value["version"],
            case .int(let attempt)? = value["attempt"], let attempt = Int(exactly: attempt), attempt >= 0,
            case .bool(let counts)? = value["counts"],
            case .array(let left)? = value["left"]
        else { return nil }
        self.slot = slot
        self.validUntil = end
        self.version = version
        self.attempt = min(attempt, 20)
        self.counts = counts
        self.left = left.compactMap { item in
            guard case .string(let hash)? = item["device"], case .string(let at)? = item["not_before"],
                let at = Instant(rfc3339: at)
            else { return nil }
            return Left(deviceHash: hash, notBefore: at)
        }
    }

    init(slot: LocalDate, validUntil: Instant, version: Int64, attempt: Int, counts: Bool, left: [Left]) {
        self.slot = slot
        self.validUntil = validUntil
        self.version = version
        self.attempt = attempt
        self.counts = counts
        self.left = left
    }

    /// Everything in it is a date, a number or a hexadecimal digest, so nothing needs escaping.
    var json: String {
        let devices = left.map { #"{"device":"\#($0.deviceHash)","not_before":"\#($0.notBefore.rfc3339)"}"# }
        return
            #"{"slot":"\#(slot.iso)","valid_until":"\#(validUntil.rfc3339)","version":\#(version),"attempt":\#(attempt),"#
            + #""counts":\#(counts),"left":[\#(devices.joined(separator: ","))]}"#
    }
}
