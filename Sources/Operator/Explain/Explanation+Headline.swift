import Core
import Policy
import Service
import TimeZones

extension Explanation {
    /// What happens next and when, or what stands in the way, in the user's local time. One sentence or a few.
    var headline: String {
        guard let read else {
            return "Unknown: neither nudged.recipient nor nudged.device has this user. The record has what they got."
        }
        switch question {
        case .past: return pastHeadline
        case .now:
            guard read.isUnseen else { return outlook(read) }
            return "Not seen yet: the app has a row of this user, but nudged has not seen it. "
                + "nudged replan or any change of theirs adds them."
        case .future:
            let then = "Then (\(day(at)), \(zoneName)): "
            guard case .send? = plan, let next else { return "\(then)nothing is sent. \(outlook(read))" }
            let first = obstacles.first { $0.isOfDaemons || isClosed($0, for: next) }
            let now = first.map { " But now \($0.text)." } ?? ""
            return "\(then)\(next.text) \(next.isOne ? "is" : "are") sent to \(deviceCount(next)).\(now)"
        }
    }

    private var pastHeadline: String {
        var counts: [String] = []
        for outcome in DeliveryRecord.Outcome.allCases {
            let count = facts.records.filter { $0.outcome == outcome }.count
            if count > 0 { counts.append("\(count) \(outcome.rawValue)") }
        }
        let found = counts.isEmpty ? "nothing" : counts.joined(separator: ", ")
        return "Past: from a day before to a day after this instant, the record has \(found)."
    }

    /// For the time from the explained instant on.
    private func outlook(_ read: ReadUser) -> String {
        if case .unreadable(let error)? = plan {
            return "Waits: \(error). "
                + "The user is evaluated again within two minutes."
        }
        if let first = next ?? held, let daemons = obstacles.first(where: \.isOfDaemons) {
            return "Waits: \(daemons.text). \(coming(first, read))"
        }
        if let held, let pause = pause(of: held) {
            return "Waits: \(pause.text). \(coming(held, read))"
        }
        guard let next else { return nothing(read) }
        if let lane = closedLane(for: next) { return "Waits: \(lane.text). \(coming(next, read))" }
        let decision = next.needsDecision ? ", if the decision service allows it" : ""
        let isDue = next.at <= now
        let when = isDue ? "with the next sweep" : "\(day(next.at)) (\(zoneName))"
        var text = "Next: \(next.text) \(when), to \(deviceCount(next))\(decision)."
        // The rules have changed since the user was evaluated.
        if !isDue, question == .now, case .send? = plan { text += " nudged replan sends it at once." }
        return text
    }

    /// `A check-in is due since 09:12.` or `Next would be a check-in tomorrow at 10:00 (Europe/Berlin), to 2 devices.`
    private func coming(_ send: FutureSend, _ read: ReadUser) -> String {
        guard send.at <= now else {
            return "Next would be \(send.text) \(day(send.at)) (\(zoneName)), to \(deviceCount(send))."
        }
        let since = dueSince(send, read).map { " since \(InstantText.since($0, from: now, zone)) (\(zoneName))" }
        let text = send.text.prefix(1).uppercased() + send.text.dropFirst()
        return "\(text) \(send.isOne ? "is" : "are") due\(since ?? "")."
    }

    /// Nil if it is due since this minute, or if that is not known.
    private func dueSince(_ send: FutureSend, _ read: ReadUser) -> Instant? {
        let user = read.user
        // Users of urgent messages are due since 1970.
        var since = Instant(dueOf: user).flatMap { $0 > Self.firstDue ? $0 : nil }
        let members = Set(send.plan.nudges.flatMap(\.members).map(\.key))
        // A message for later has been due since its time, which is in the row.
        let sent = user.messages.filter { $0.due == nil && members.contains($0.id.uuidString.lowercased()) }
            .map(\.createdAt).min()
        // No evaluation has seen the message yet.
        if let sent, since == nil || user.evaluatedAt.map({ sent > $0 }) ?? true { since = sent }
        guard let since, now - since >= 60 else { return nil }
        return since
    }

    private static let firstDue = Instant(seconds: 31_536_000)

    // MARK: What stands in the way

    private func pause(of send: FutureSend) -> Obstacle? {
        obstacles.first { $0.kind.map(send.kinds.contains) ?? false }
    }

    /// A lane that keeps all of these pushes back: a later one, only if somebody must act.
    private func closedLane(for send: FutureSend) -> Obstacle? {
        let closed = obstacles.filter { isClosed($0, for: send) }
        return send.lanes.isSubset(of: closed.compactMap(\.lane?.lane)) ? closed.first : nil
    }

    private func isClosed(_ obstacle: Obstacle, for send: FutureSend) -> Bool {
        guard let lane = obstacle.lane else { return false }
        return send.lanes.contains(lane.lane) && (lane.state == .stopped || send.at <= now)
    }

    // MARK: Nothing

    private func nothing(_ read: ReadUser) -> String { "Nothing is planned: \(whyNoCheckIn(read))\(texts(read))" }

    private func whyNoCheckIn(_ read: ReadUser) -> String {
        switch outlook?.reason {
        case .notOptedIn?:
            read.hasProfile
                ? "the preferences are null, so the user has not turned check-ins on"
                : "nudged.recipient has no row of this user"
        case .preferencesMalformed? where preferences?.isUndecided == true: "the user has not turned check-ins on"
        case .preferencesMalformed?:
            "the preferences can't be used (\(preferences?.malformed ?? "malformed"))"
        case .disabled?: "check-ins are off"
        case .dormant?: "the user has ignored check-ins for so long that they have ended"
        case .holdout?: "the user is one of those who get no check-ins, for comparison (policy.holdoutPercent)"
        case .muted?: "the user has muted nudges (muted_until)"
        case .firstSessionIncomplete?: "the first session is not complete"
        case .timezoneUnresolved?:
            "neither the preferences nor the profile name a valid time zone"
                + (mistakes.isEmpty ? "" : " (\(mistakes.joined(separator: "; ")))")
        case .noText?: "no active template fits the user, so check-ins have no text (nudged.template)"
        case .noDevice?: deviceGaps.map(\.text).joined(separator: "; ")
        case let other: "no check-in fits into the next \(Outlook.days) days (\(other?.rawValue ?? "not evaluated"))"
        }
    }

    /// The end of the sentence: what becomes of messages and reminders.
    private func texts(_ read: ReadUser) -> String {
        let user = read.user
        let wakesAt = [user.messagesWakeAt, user.reminders.wakesAt].compactMap(\.self).min()
        let later = wakesAt.map { ", and no message or reminder is due before \(day($0))" }
        guard !user.messages.isEmpty || !user.reminders.all.isEmpty else {
            return "\(later ?? ", and no message or reminder waits")."
        }
        // What is dropped or held now. What waits for its time is `later` or comes within the days looked at.
        let texts = decisions.filter { $0.kind != .checkIn }
        let dropped = texts.filter { $0.decision.action == .drop }
        let held = texts.filter { $0.decision.action == .hold || $0.decision.reason == .timezoneUnresolved }
        var text = "."
        for (entries, verb) in [(dropped, "dropped"), (held, "held")] {
            guard let first = entries.first else { continue }
            let count = Elapsed.counted(entries.count, "message or reminder is", "messages or reminders are")
            text += " \(count) \(verb) (\(first.decision.reason.rawValue))."
        }
        return text
    }

    // MARK: Parts

    private var zoneName: String { zone?.name ?? "UTC" }

    private func day(_ instant: Instant) -> String { InstantText.day(instant, from: now, zone) }

    private func deviceCount(_ send: FutureSend) -> String { Elapsed.counted(send.devices, "device", "devices") }
}

extension Instant {
    /// When the user is due. Nil if that is the database's infinity.
    init?(dueOf user: ClaimedUser) {
        guard user.dueAt != .max, user.dueAt != .min else { return nil }
        self = user.dueInstant
    }
}
