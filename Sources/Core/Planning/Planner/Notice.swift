import Policy
import TimeZones

package import struct FoundationEssentials.UUID

/// Something wrong with one user's data. It is logged once per value, not per user, and never with the value.
package enum Notice: Sendable, Equatable {
    /// The database refuses something of the user, or nudged can't read a row: the user is set aside for a day.
    case refused(Refusal)
    /// The user's check-ins are held until the preferences are corrected.
    case preferencesMalformed(user: UUID, valueHash: UInt64, why: String)
    /// A zone name is invalid. The next one is used, or none.
    case timezoneInvalid(user: UUID, valueHash: UInt64)
    /// A reminder's own zone is unknown here. It waits.
    case reminderZoneUnknown(user: UUID, valueHash: UInt64)
    /// The history has entries more than 48 h ahead, because a host's clock was wrong. They are ignored.
    case historyAhead(user: UUID)
    case deviceNotServed(user: UUID, environment: String?, topic: String?)

    /// Identifies what is logged once: a million users with the same wrong value are one line.
    package struct Value: Hashable {
        let event: String
        let hash: UInt64
    }

    package var value: Value {
        switch self {
        case .refused(let refusal): Value(event: "row", hash: "\(refusal.userID) \(refusal.column ?? "")".stableHash)
        case .preferencesMalformed(_, let hash, _): Value(event: "preferences", hash: hash)
        case .timezoneInvalid(_, let hash): Value(event: "timezone", hash: hash)
        case .reminderZoneUnknown(_, let hash): Value(event: "reminder", hash: hash)
        // A wrong clock affects many histories. One line is enough.
        case .historyAhead: Value(event: "history", hash: 0)
        case .deviceNotServed(_, let environment, let topic):
            Value(event: "device", hash: "\(environment ?? "") \(topic ?? "")".stableHash)
        }
    }
}

extension UserPlanner {
    var notices: [Notice] {
        var notices: [Notice] = []
        let name = user.userID
        if let why = candidate.preferences.malformed, !candidate.preferences.isUndecided {
            let hash = (user.preferences ?? "").stableHash
            notices.append(.preferencesMalformed(user: name, valueHash: hash, why: why))
        }
        let (known, zones) = (candidate.zone?.name, planner.policy.zones)
        func isUnknown(_ zone: String) -> Bool {
            if let known, ExactText(known) == ExactText(zone) { return false }
            // A zone that can't be read now may be valid.
            guard let found = try? zones.zone(named: zone) as Zone?? else { return false }
            return found == nil
        }
        for case let zone? in [candidate.preferences.timezone, user.timezone] where isUnknown(zone) {
            notices.append(.timezoneInvalid(user: name, valueHash: zone.stableHash))
        }
        if let zone = user.reminders.all.compactMap(\.timezone).first(where: isUnknown) {
            notices.append(.reminderZoneUnknown(user: name, valueHash: zone.stableHash))
        }
        let horizon = now + History.horizon
        if user.history.sent.contains(where: { $0 > horizon })
            || user.history.checkIns.contains(where: { $0.at > horizon })
        {
            notices.append(.historyAhead(user: name))
        }
        if let foreign = devices.foreign.first {
            notices.append(.deviceNotServed(user: name, environment: foreign.environment, topic: foreign.topic))
        }
        return notices
    }
}
