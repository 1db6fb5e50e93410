import JSON
import NudgedPreferences
public import TimeZones

extension Policy {
    /// For this many seconds an author's own reminder ignores quiet hours, since the author chose the time.
    private static let authorGrace: Int64 = 900

    /// Rules 1 to 11 of docs/POLICY-SPEC.md, "Messages" and "Reminders".
    func decideText(_ candidate: Candidate, now: Instant, _ trace: inout Trace) throws(TimeZoneError) -> Decision {
        let times: (dueAt: Instant?, fact: String, expiresAt: Instant?) =
            switch candidate.nudge {
            case .message(let message): (message.deliverAt, "deliver_at", message.expiresAt)
            case .reminder(let reminder): (reminder.dueAt, "due_at", reminder.expiresAt)
            case .checkIn: (nil, "", nil)
            }
        if let dueAt = times.dueAt {
            let isEarly = now < dueAt
            trace.note("due", isEarly ? .wait : nil, [times.fact: dueAt.rfc3339])
            if isEarly { return Decision(.wait, .notDue, nextAt: dueAt) }
        }
        let expiresAt = times.expiresAt
        if let ended = endText(candidate, expiresAt, now, &trace) { return ended }
        var text = TextDecision(policy: self, candidate: candidate, expiresAt: expiresAt, now: now)
        switch candidate.nudge {
        case .message(let message):
            let keywords = candidate.preferences.priorityKeywords
            let isUrgent =
                message.urgent
                || !keywords.isEmpty && (candidate.keywords ?? KeywordMatcher(keywords)).occurs(in: message)
            text.isUrgent = isUrgent
            let allowUrgent = candidate.preferences.allowUrgent
            trace.note("urgency", nil, ["asked": message.urgent, "urgent": isUrgent, "allow_urgent": allowUrgent])
            guard !message.isSilent else {
                trace.note("silent", .send, ["expires_at": expiresAt?.rfc3339])
                return Decision(.send, isUrgent ? .urgent : .due, urgent: isUrgent, validUntil: expiresAt)
            }
            if isUrgent, allowUrgent { text.quietFrom = nil }
        case .reminder(let reminder):
            trace.note("author", nil, ["recipient_is_author": reminder.recipientIsAuthor])
            if reminder.recipientIsAuthor { text.quietFrom = reminder.dueAt + Self.authorGrace }
        case .checkIn: break
        }
        return try text.decide(&trace)
    }

    /// Rules 1 to 4 of docs/POLICY-SPEC.md, "Messages".
    private func endText(_ candidate: Candidate, _ end: Instant?, _ now: Instant, _ trace: inout Trace) -> Decision? {
        let isExpired = end.map { now >= $0 } ?? false
        trace.note("expiry", isExpired ? .drop : nil, ["expires_at": end?.rfc3339])
        if isExpired { return Decision(.drop, .expired) }
        if let held = trace.check("paused", candidate.paused ? Decision(.hold, .paused) : nil) { return held }
        let preferences = candidate.preferences
        let isEnabled =
            switch candidate.nudge {
            case .message(let message): preferences.messagesEnabled && preferences.allows(category: message.category)
            default: preferences.remindersEnabled
            }
        if let ended = trace.check("enabled", isEnabled ? nil : Decision(.drop, .disabled)) { return ended }
        let dropped = candidate.devices == 0 ? Decision(.drop, .noDevice) : nil
        return trace.check("devices", dropped, ["devices": candidate.devices])
    }

    /// Rule 7: the answer about a nudge that has not expired, but needs a zone. A message waits for 24 hours.
    public static func withoutZone(_ nudge: Nudge, isUrgent: Bool = false, now: Instant) -> Decision {
        guard case .message(let message) = nudge,
            let sentAt = [message.createdAt, message.deliverAt].compactMap(\.self).max()
        else { return Decision(.hold, .timezoneUnresolved, urgent: isUrgent) }
        let end = sentAt + 86_400
        if now >= end { return Decision(.drop, .expiresWithoutTimezone, urgent: isUrgent) }
        return Decision(.wait, .timezoneUnresolved, nextAt: min(end, message.expiresAt ?? end), urgent: isUrgent)
    }

    /// Whether an instant is in the candidate's current quiet hours. False without quiet hours or without a valid zone.
    public func isQuiet(_ candidate: Candidate, at instant: Instant) throws(TimeZoneError) -> Bool {
        guard quietHours(of: candidate) != nil, let zone = try zone(of: candidate) else { return false }
        return quietSchedule(of: candidate, LocalClock(zone, near: instant))?.isQuiet(instant) ?? false
    }
}

/// Rules 6 to 11 of docs/POLICY-SPEC.md, "Messages", for a message or a reminder that has not ended.
private struct TextDecision {
    let policy: Policy
    let candidate: Candidate
    let expiresAt: Instant?
    let now: Instant
    var isUrgent = false
    /// Quiet hours apply from this instant on: always, or after the author's grace. nil: never.
    var quietFrom: Instant? = Instant(seconds: .min)

    func decide(_ trace: inout Trace) throws(TimeZoneError) -> Decision {
        if let muted = try decideMuted(&trace) { return muted }
        let hours = quietFrom == nil ? nil : policy.quietHours(of: candidate)
        // The zone is read only if quiet hours may apply.
        let zone = hours == nil ? nil : try policy.zone(of: candidate)
        let applyNow = hours != nil && quietFrom.map { now >= $0 } ?? false
        if hours != nil {
            let isUnplaced = applyNow && zone == nil
            let unplaced = isUnplaced ? Policy.withoutZone(candidate.nudge, isUrgent: isUrgent, now: now) : nil
            if let unplaced = trace.check("zone", unplaced, policy.zoneFacts(candidate, zone, now)) { return unplaced }
        }
        let quiet = zone.flatMap { policy.quietSchedule(of: candidate, LocalClock($0, near: now)) }
        if applyNow, let quiet {
            let isQuiet = quiet.isQuiet(now)
            let awake = quiet.wakeUp(from: now, limit: expiresAt)
            let answer = isQuiet ? wait(.quietHours, until: awake, orDrop: .expiresInQuietHours) : nil
            trace.note("quiet_hours", answer?.action, policy.quietFacts(quiet, isQuiet: isQuiet, now, expiresAt))
            if let answer { return answer }
        } else {
            trace.note("quiet_hours", nil, ["apply_from": hours == nil ? nil : quietFrom?.rfc3339])
        }
        return decide(AppliedQuiet(from: hours == nil ? nil : quietFrom, quiet: quiet), &trace)
    }

    /// It waits until then, or it is dropped if it has expired by then.
    private func wait(_ reason: Reason, until awake: Instant, orDrop end: Reason) -> Decision {
        if let expiresAt, awake >= expiresAt { return Decision(.drop, end, urgent: isUrgent) }
        return Decision(.wait, reason, nextAt: awake, urgent: isUrgent)
    }

    /// Rule 6. nil: the user is not muted, or the nudge passes a mute as it passes quiet hours.
    private func decideMuted(_ trace: inout Trace) throws(TimeZoneError) -> Decision? {
        guard let quietFrom else { return nil }
        guard !candidate.preferences.hasUnreadableMute else {
            trace.note("muted", .hold, [:])
            return Decision(.hold, .muted, urgent: isUrgent)
        }
        guard let end = candidate.preferences.mutedUntil.map(Instant.init) else { return nil }
        guard now < end else {
            trace.note("muted", nil, ["muted_until": end.rfc3339])
            return nil
        }
        let zone = policy.quietHours(of: candidate) == nil || end < quietFrom ? nil : try policy.zone(of: candidate)
        let quiet = zone.flatMap { policy.quietSchedule(of: candidate, LocalClock($0, near: end)) }
        let awake = AppliedQuiet(from: quietFrom, quiet: quiet).awake(end, limit: expiresAt)
        let answer = wait(.muted, until: awake, orDrop: .expiresWhileMuted)
        trace.note("muted", answer.action, ["muted_until": end.rfc3339, "limit": expiresAt?.rfc3339])
        return answer
    }

    /// Rules 9 to 11.
    private func decide(_ applied: AppliedQuiet, _ trace: inout Trace) -> Decision {
        let caps = Caps(policy.rules, candidate.preferences)
        let sent = candidate.history.sent
        let free = caps.free(from: now, sent)
        if free > now {
            let awake = applied.awake(free, limit: expiresAt)
            let answer = wait(.capped, until: awake, orDrop: .expiresWhileCapped)
            trace.note("caps", answer.action, policy.capFacts(caps, sent, now, free))
            return answer
        }
        trace.note("caps", nil, policy.capFacts(caps, sent, now, free))
        if !isUrgent, let end = pauseEnd {
            trace.note("conversation", .wait, ["pause_ends": end.rfc3339])
            return Decision(.wait, .activeConversation, nextAt: min(end, expiresAt ?? end))
        }
        let quietAgain = applied.nextStart(after: now)
        trace.note("send", .send, ["expires_at": expiresAt?.rfc3339, "next_quiet": quietAgain?.rfc3339])
        let validUntil = [expiresAt, quietAgain].compactMap { $0 }.min()
        return Decision(.send, isUrgent ? .urgent : .due, urgent: isUrgent, validUntil: validUntil)
    }

    /// When the pause ends for which a smart message of an active conversation waits. nil: it doesn't wait.
    private var pauseEnd: Instant? {
        let preferences = candidate.preferences
        guard preferences.smartEnabled, case .message(let message) = candidate.nudge,
            let conversation = message.conversation,
            conversation.messages >= preferences.activeConversationThreshold
        else { return nil }
        // An instant ahead counts as now: a wrong clock must not hold a message back for years.
        let end = min(conversation.lastAt, now) + Int64(preferences.pauseThresholdSeconds)
        return now < end ? end : nil
    }
}

struct AppliedQuiet {
    /// Quiet hours apply from this instant on. nil: never.
    let from: Instant?
    /// nil: the user has no valid zone.
    let quiet: QuietSchedule?

    /// When something that becomes possible at `instant` can be sent.
    func awake(_ instant: Instant, limit: Instant?) -> Instant {
        guard let from, instant >= from, let quiet, quiet.isQuiet(instant) else { return instant }
        return quiet.wakeUp(from: instant, limit: limit)
    }

    /// The first quiet instant after `now`, which is not quiet or before `from`. nil: there is none.
    ///
    /// Without a zone it is `from`: from then on the nudge is held.
    func nextStart(after now: Instant) -> Instant? {
        guard let from else { return nil }
        guard let quiet else { return from > now ? from : nil }
        return from > now ? quiet.firstQuiet(from: from) : quiet.nextStart(after: now)
    }
}
