package import Configuration
package import NudgedPreferences
package import Policy
package import TimeZones

package import struct FoundationEssentials.UUID

/// What to do for one user now. The stages of Delivery carry it out.
package enum Plan: Sendable {
    /// Nothing is sent. The reason says why no check-in is sent. → settled as it is.
    case nothing(Change, Reason, [Notice])
    /// The nudges are sent, after their intent is committed. → `Planner.settle` with their outcomes.
    case send(SendPlan, [Notice])
    /// Something could not be read: nothing was decided or changes. → planned again after one to two minutes.
    case unreadable(Unreadable)

    package var notices: [Notice] {
        switch self {
        case .nothing(_, _, let notices), .send(_, let notices): notices
        case .unreadable: []
        }
    }

    /// What is recorded whatever the outcomes of the pushes.
    package var records: [DeliveryRecord] {
        switch self {
        case .nothing(let change, _, _): change.records
        case .send(let plan, _): plan.records
        case .unreadable: []
        }
    }
}

/// Why nothing can be decided for a user now.
package enum Unreadable: Error, Sendable, CustomStringConvertible {
    case zone(TimeZoneError)
    /// A newer version wrote this column. This one would send something else, or lose what it writes back.
    case newer(column: String)

    package var description: String {
        switch self {
        case .zone(let error): "the file of the user's time zone can't be read (\(error))"
        case .newer(let column): "\(column) can't be read: \(Refusal.newer)"
        }
    }
}

/// Decides what a claimed user gets now: `(user, now) -> Plan`. Pure: reads no clock, database or network.
package struct Planner: Sendable {
    package let policy: Policy
    package let lanes: LaneDirectory
    let messages: Configuration.Messages
    package var paused: Set<NudgeKind> = []
    package var checkInTexts = CheckInTexts()
    /// Records each decision with its trace, for `nudged explain`. nil in a sweep.
    package var recorder: DecisionRecorder?
    /// Whether a decision service is configured. Then nudges of users who consent carry their texts.
    package var asksService = false
    private let preferences = PreferencesCache()

    package init(policy: Policy, lanes: LaneDirectory, messages: Configuration.Messages) {
        (self.policy, self.lanes, self.messages) = (policy, lanes, messages)
    }

    package func parsed(_ text: String?) -> Preferences { preferences.parsed(text) }

    package func plan(_ user: ClaimedUser, now: Instant) -> Plan {
        if let column = user.newerColumn { return .unreadable(.newer(column: column)) }
        do throws(TimeZoneError) {
            var planning = try UserPlanner(user, self, now: now)
            let checkIn = try planning.planAll()
            let notices = planning.notices
            guard let checkIn, planning.draft.nudges.isEmpty else {
                let row = (user.turn, user.version, planning.fingerprint, user.template, user.context)
                return .send(SendPlan(planning.candidate, planning.draft, row), notices)
            }
            return .nothing(planning.settlement(checkIn), checkIn.reason, notices)
        } catch { return .unreadable(.zone(error)) }
    }

    /// Every user is evaluated again within a day, so that changed rules and zone files take effect.
    package static let recheckSeconds: Int64 = 86_400
    /// A user whose zone could not be read is evaluated again after a minute, with jitter over the next.
    static let unreadSeconds: Int64 = 60
    /// Daily evaluations have jitter over the last four hours of the day.
    static let recheckJitterSeconds: UInt64 = 14_400

    /// The earliest instant at which the answer can change, at most a day away. `decision` nil: the zone could not be
    /// read. Of `left`, only a check-in is used. `others`: when something else that waits can change. `soon`: the
    /// answer may change without a touch.
    func dueAt(_ user: UUID, _ decision: Decision?, _ left: [Retry], others: Instant?, now: Instant, soon: Bool = false)
        -> Instant
    {
        let jitter = Int64(user.stableHash % Self.recheckJitterSeconds)
        var due = now + (Self.recheckSeconds - jitter)
        if soon {
            let seconds = RecipientDevices.foreignSeconds
            due = min(due, now + seconds + Int64(user.stableHash % UInt64(seconds)))
        }
        if decision == nil { due = min(due, evaluateAgainAt(user, now: now)) }
        if let decision, decision.action == .wait, let next = decision.nextAt { due = min(due, next) }
        let retry = left.first { $0.identity.kind == .checkIn }
        // Still to be sent: at once, or when the back-off ends.
        if decision?.action == .send, retry == nil { due = now + Retry.unsentSeconds }
        // Only a resume can end a pause, so the devices' own instants would only cause useless evaluations.
        let isPaused = decision?.action == .hold && decision?.reason == .paused
        if let retry { due = min(due, isPaused ? retry.validUntil ?? due : retry.dueAt) }
        if let others { due = min(due, others) }
        return max(due, now + 1)
    }

    package func evaluateAgainAt(_ user: UUID, now: Instant) -> Instant {
        now + Self.unreadSeconds + Int64(user.stableHash % UInt64(Self.unreadSeconds))
    }

    /// The history to keep: as many sends as the largest cap allows, but at least 64, since a cap may be set later.
    func trimmed(_ history: History, of candidate: Candidate, now: Instant) -> History {
        let preferences = candidate.preferences
        let own = max(preferences.maxPerHour ?? 0, preferences.maxPerDay ?? 0)
        let cap = max(own, policy.rules.maxPerHour ?? 0, policy.rules.maxPerDay ?? 0, 64)
        return history.trimmed(now: now, cap: Int(clamping: cap))
    }
}

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
        func note(_ zone: String?) {
            guard let zone, isUnknown(zone) else { return }
            notices.append(.timezoneInvalid(user: name, valueHash: zone.stableHash))
        }
        note(candidate.preferences.timezone)
        note(user.timezone)
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
