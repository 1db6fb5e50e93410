import Configuration
import JSON
import NudgedPreferences
import Base
import TimeZones

/// What is probably wrong with a user's own values, and what was meant. The policy ignores these; a person should not.
enum ValueFaults {
    /// Keys that nudged does not know but that resemble one that it knows. Others may be the app's own.
    static func unknownKeys(_ text: String?) -> [String] {
        guard let text, case .object(let object)? = try? JSONValue(parsing: text) else { return [] }
        let known = PreferenceKey.allCases.map(\.rawValue)
        // Few keys are checked: a hostile value has thousands of keys.
        return object.members.prefix(200).compactMap { member in
            guard PreferenceKey(rawValue: member.key) == nil,
                let meant = KeySuggestion.nearest(to: member.key, among: known), object[meant] == nil
            else { return nil }
            return "\(String(member.key.prefix(64)).printable) is unknown: did you mean \(meant)?"
        }
    }

    /// A consent that is neither true nor false: it counts as none, and does not make the preferences malformed.
    static func consent(_ text: String?) -> String? {
        let key = PreferenceKey.smartEnabled
        guard let text, case .object(let object)? = try? JSONValue(parsing: text) else { return nil }
        switch object[key.rawValue] {
        case nil, .null?, .bool?: return nil
        default: return "\(key.rawValue) counts as false: wanted \(key.wanted)"
        }
    }

    /// What is wrong with a zone's name. Nil: nothing, or it can't be checked now.
    static func zone(_ name: String?, _ zones: ZoneDatabase) -> String? {
        guard let name, let found = try? zones.zone(named: name) as Zone??, found == nil else { return nil }
        let meant = zone(meantBy: name, among: zones.names).map { ": did you mean \($0)?" } ?? ""
        return "the zone \(String(name.prefix(64)).printable) is unknown\(meant)"
    }

    static func zone(meantBy name: String, among names: [String]) -> String? {
        guard name.utf8.count <= 64 else { return nil }
        if let city = cities[name.uppercased()] { return city }
        let plain = name.lowercased().replacing(" ", with: "_")
        if plain == "utc" || plain == "z" { return "UTC" }
        if let found = names.first(where: { $0.lowercased() == plain }) { return found }
        if let city = names.first(where: { $0.lowercased().hasSuffix("/\(plain)") }) { return city }
        // Names with numbers are near each other, and hours apart.
        guard !plain.contains(where: \.isNumber) else { return offset(plain).flatMap { names.contains($0) ? $0 : nil } }
        return KeySuggestion.nearest(to: name, among: names)
    }

    /// `utc+3`, `gmt-05:00`, `+1`: a zone of whole hours. Its name has the opposite sign.
    private static func offset(_ name: String) -> String? {
        guard let found = name.wholeMatch(of: /(?:utc|gmt)?([+-])0?([0-9]{1,2})(?::?00)?/) else { return nil }
        return "Etc/GMT\(found.1 == "+" ? "-" : "+")\(found.2)"
    }

    private static let cities = [
        "CET": "Europe/Berlin", "CEST": "Europe/Berlin", "MEZ": "Europe/Berlin", "BST": "Europe/London",
        "WET": "Europe/Lisbon", "EET": "Europe/Helsinki", "MSK": "Europe/Moscow", "IST": "Asia/Kolkata",
        "JST": "Asia/Tokyo", "KST": "Asia/Seoul", "AEST": "Australia/Sydney", "NZST": "Pacific/Auckland",
        "EST": "America/New_York", "EDT": "America/New_York", "EST5EDT": "America/New_York",
        "CST": "America/Chicago", "CDT": "America/Chicago", "CST6CDT": "America/Chicago", "MST": "America/Denver",
        "MDT": "America/Denver", "MST7MDT": "America/Denver", "PST": "America/Los_Angeles",
        "PDT": "America/Los_Angeles", "PST8PDT": "America/Los_Angeles", "HST": "Pacific/Honolulu",
    ]
}
