import Base
import NudgedPreferences
public import TimeZones

extension Policy {
    /// A fingerprint of everything that sets `since`. Equal values have equal fingerprints in every version of the
    /// daemon.
    ///
    /// It is FNV-1a with 64 bits over the UTF-8 of
    /// `1;<opted>;<enabled>;<frequency>;<minutes>;<weekday>;<zone>;<first session>;<device>`:
    /// - opted: `null`, `malformed` or `ok`. Unless it is `ok`, the next four are `-`.
    /// - enabled, first session, device: 0 or 1
    /// - frequency: its name in docs/POLICY.md
    /// - minutes: `check_in_time` in minutes after midnight
    /// - weekday: 1 to 7
    /// - zone: the name of the user's zone
    ///
    /// Absent values are `-`.
    ///
    /// - Throws: if the zone could not be read now.
    public func scheduleFingerprint(_ candidate: Candidate) throws(TimeZoneError) -> Int64 {
        let preferences = candidate.preferences
        let isOpted = !preferences.isNull && preferences.malformed == nil
        var hash = FNV1a()
        func add(_ text: String?) {
            hash.add((text ?? "-").utf8)
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
        hash.add(UInt8(ascii: candidate.devices > 0 ? "1" : "0"))
        return Int64(bitPattern: hash.value)
    }
}
