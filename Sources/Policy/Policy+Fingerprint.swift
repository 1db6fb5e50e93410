import NudgedKit
public import TimeZones

extension Policy {
    /// A stable fingerprint of what sets `since`: equal values have equal fingerprints, in every version of the daemon.
    ///
    /// FNV-1a, 64 bits, over the UTF-8 of
    /// `1;<opted>;<enabled>;<frequency>;<minutes>;<weekday>;<zone>;<first session>;<device>`:
    /// opted is `null`, `malformed` or `ok` (in the first two the next four are `-`), enabled 0 or 1, frequency its name in docs/POLICY.md, minutes those of
    /// `check_in_time` after midnight, weekday 1 to 7, zone the resolved name, first session 0 or 1, device 0 or 1; what is absent is `-`.
    ///
    /// - Throws: `unreadable` where the zone could not be read now.
    public func scheduleFingerprint(_ candidate: Candidate) throws(TimeZoneError) -> Int64 {
        let preferences = candidate.preferences
        let isOpted = !preferences.isNull && preferences.malformed == nil
        var hash = FNV1a()
        func add(_ text: String?) {
            hash.add(text ?? "-")
            hash.add(UInt8(ascii: ";"))
        }
        add("1")
        add(preferences.isNull ? "null" : isOpted ? "ok" : "malformed")
        add(isOpted ? preferences.checkInsEnabled.map { $0 ? "1" : "0" } : nil)
        add(isOpted ? preferences.frequency?.rawValue : nil)
        add(isOpted ? preferences.checkInTime.map { String($0.minutes) } : nil)
        add(isOpted ? preferences.weekday.map { String($0) } : nil)
        add(try zone(of: candidate)?.name)
        add(candidate.firstSessionComplete ? "1" : "0")
        hash.add(candidate.devices > 0 ? "1" : "0")
        return Int64(bitPattern: hash.value)
    }
}
