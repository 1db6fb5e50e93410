package import Configuration
import Core
import NudgedPreferences
import Policy
import Service
package import TimeZones

package import struct FoundationEssentials.UUID

/// `nudged explain`. It uses the sweep's planner and data, and writes nothing.
package struct Explanation: CommandOutput {
    enum Question: Sendable, Equatable {
        case now
        /// A future instant: what is due until then is taken as sent.
        case future
        /// The record around a past instant. No decision: past preferences are not kept.
        case past
    }

    struct Facts: Sendable {
        let userID: UUID
        /// Today's. Nil: neither nudged nor the app has data of the user.
        var read: ReadUser?
        /// The user with the reminders of the days to come. Nil for a past instant.
        var coming: ClaimedUser?
        /// The newest first.
        var records: [DeliveryRecord] = []
        var pauses: [Pause] = []
        var daemons: [DaemonRow] = []
        var leftOut = DevicesLeftOut()
        var gaps: [String] = []
    }

    let facts: Facts
    let question: Question
    let now: Instant
    let at: Instant
    private let planner: Planner
    private let names: DeviceNames
    /// The user at the explained instant; today's for a past one.
    private(set) var read: ReadUser?
    /// What a sweep does at the instant. Nil for a past one.
    private(set) var plan: Plan?
    private let recorder = DecisionRecorder()
    /// What comes before and after the instant. Nil for a past one.
    private(set) var outlook: Outlook?

    init(_ facts: Facts, planner: Planner, names: DeviceNames = DeviceNames(secret: ""), now: Instant, at: Instant?) {
        let at = at ?? now
        question = at < now || facts.read == nil ? .past : at > now ? .future : .now
        (self.facts, self.planner, self.names, self.now, self.at) = (facts, planner, names, now, at)
        read = facts.read
        guard question != .past, let today = facts.read?.user else { return }
        let outlook = Outlook(facts.coming ?? today, planner: planner, now: now, at: at)
        self.outlook = outlook
        if question == .future { read?.user = outlook.user.claimed(at: at) }
        var recording = planner
        recording.recorder = recorder
        plan = recording.plan(read?.user ?? today, now: at)
    }

    var decisions: [DecisionRecorder.Entry] { recorder.entries }

    /// For each template, whether it was chosen or why not. Empty if no check-in is sent.
    var templates: [(template: Int32, outcome: TemplateOutcome)] { recorder.templateOutcomes }

    /// At a future instant the user is evaluated, whether they are due or not.
    private var sentThen: FutureSend? {
        guard question == .future, case .send(let sendPlan, _)? = plan else { return nil }
        return FutureSend(at: at, plan: sendPlan)
    }

    var next: FutureSend? { sentThen ?? outlook?.next }
    var held: FutureSend? { sentThen == nil ? outlook?.held : nil }
    var zone: Zone? { read.flatMap { planner.zone(of: $0.user) } }

    var devices: [ExplainedDevice] {
        read.map { ExplainedDevice.all(of: $0.user, planner.lanes, names, now: at, zone) } ?? []
    }

    var deviceGaps: [DeviceGap] { read == nil ? [] : DeviceGap.all(devices, facts.leftOut) }
    var preferences: Preferences? { read.map { planner.parsed($0.user.preferences) } }

    /// What the policy ignores, and is probably a mistake: a key or a zone that is unknown, a consent of a wrong type.
    var mistakes: [String] {
        guard let user = read?.user else { return [] }
        let zones = planner.policy.zones
        let own = [preferences?.timezone, user.timezone].compactMap { ValueFaults.zone($0, zones) }
        let reminder = user.reminders.all.lazy.compactMap { ValueFaults.zone($0.timezone, zones) }.first
        return ValueFaults.unknownKeys(user.preferences) + [ValueFaults.consent(user.preferences)].compactMap(\.self)
            + own + [reminder.map { "a reminder waits: \($0)" }].compactMap(\.self)
    }

    /// Check-ins that the user has ignored since the app last saw them. Nil: no rule counts them.
    var ignored: Int64? { read.flatMap { planner.ignored(by: $0.user, now: at) } }
    var lacksConsent: Bool { planner.asksService && preferences?.smartEnabled == false }
    var paused: [String] { planner.paused.map(\.rawValue).sorted() }

    package static let mostDaysAhead: Int64 = 366
    /// For a past instant: the seconds before and after it whose record is shown.
    private static let around: Int64 = 86_400

    /// Nil if neither nudged, the app nor the record has anything of that user.
    package static func explain(_ user: UUID, at: Instant?, _ configuration: Configuration) async throws -> Self? {
        let assembly = try Assembly(configuration, zones: ZoneDatabase())
        return try await DatabaseAccess(configuration).withStore { store in
            try await explain(user, at: at, planner: assembly.planner, names: assembly.deviceNames, store: store)
        }
    }

    static func explain(
        _ user: UUID,
        at: Instant?,
        planner: Planner,
        names: DeviceNames = DeviceNames(secret: ""),
        store: Store,
        now: Instant? = nil
    ) async throws -> Explanation? {
        try await store.reading { reader in
            let clock = Instant(seconds: try await reader.clock() / 1_000_000)
            let now = now ?? clock
            let past = at.flatMap { $0 < now ? $0 : nil }
            let (from, through) = (past.map { $0 - around } ?? .first, past.map { $0 + around } ?? .last)
            let limit = past == nil ? 20 : 200
            let records = try await reader.deliveries(of: user, from: from, through: through, limit: limit)
            // As a sweep finds the user.
            var facts = Facts(userID: user, read: try await reader.user(user, now: now), records: records)
            guard facts.read != nil else {
                return records.isEmpty ? nil : Explanation(facts, planner: planner, names: names, now: now, at: nil)
            }
            facts.pauses = try await reader.pauses()
            facts.daemons = try await reader.daemons()
            facts.leftOut = try await reader.devicesLeftOut(of: user)
            var planner = planner
            planner.paused = Set(facts.pauses.filter { $0.resumedAt == nil }.map(\.kind))
            planner.checkInTexts = CheckInTexts(templates: try await reader.templates())
            try await facts.addReminders(reader, planner, now: now, end: past == nil ? max(at ?? now, now) : nil)
            return Explanation(facts, planner: planner, names: names, now: now, at: at)
        }
    }

    var headline: String {
        guard let read else {
            return "Unknown: neither nudged.recipient nor nudged.device has this user. The record has what they got."
        }
        switch question {
        case .past:
            let counts = DeliveryRecord.Outcome.allCases.compactMap { outcome -> String? in
                let count = facts.records.count { $0.outcome == outcome }
                return count > 0 ? "\(count) \(outcome.rawValue)" : nil
            }
            let found = counts.isEmpty ? "nothing" : counts.joined(separator: ", ")
            return "Past: from a day before to a day after this instant, the record has \(found)."
        case .now:
            guard read.isUnseen else { return outlook(read) }
            return "Not seen yet: the app has a row of this user, but nudged has not seen it. "
                + "nudged replan or any change of theirs adds them."
        case .future:
            let then = "Then (\(day(at)), \(zoneName)): "
            guard case .send? = plan, let next else { return "\(then)nothing is sent. \(outlook(read))" }
            let now = obstacles.first { $0.isOfDaemons || isClosed($0, for: next) }.map { " But now \($0.text)." } ?? ""
            return "\(then)\(next.text) \(next.isOne ? "is" : "are") sent to \(deviceCount(next)).\(now)"
        }
    }

    private func outlook(_ read: ReadUser) -> String {
        func waits(_ why: Obstacle, _ send: FutureSend) -> String { "Waits: \(why.text). \(coming(send, read))" }
        if case .unreadable(let error)? = plan {
            return "Waits: \(error). The user is evaluated again within two minutes."
        }
        if let first = next ?? held, let lack = obstacles.first(where: \.isOfDaemons) { return waits(lack, first) }
        if let held, let pause = obstacles.first(where: { $0.kind.map(held.kinds.contains) ?? false }) {
            return waits(pause, held)
        }
        guard let next else { return "Nothing is planned: \(whyNoCheckIn(read))\(texts(read))" }
        let closed = obstacles.filter { isClosed($0, for: next) }
        // A lane's problem delays all of these pushes. Those that are due later are delayed only by a stopped lane.
        if next.lanes.isSubset(of: closed.compactMap(\.lane?.lane)), let why = closed.first { return waits(why, next) }
        let decision = next.plan.nudges.contains(where: \.isToBeAsked) ? ", if the decision service allows it" : ""
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

    private func dueSince(_ send: FutureSend, _ read: ReadUser) -> Instant? {
        let user = read.user
        // Users of urgent messages are due since 1970.
        var since = user.knownDue.flatMap { $0.seconds > 31_536_000 ? $0 : nil }
        let members = Set(send.plan.nudges.flatMap(\.members).map(\.key))
        // A message for later has been due since its time, which is in the row.
        let sent = user.messages.filter { $0.due == nil && members.contains($0.id.uuidString.lowercased()) }
            .map(\.createdAt).min()
        // No evaluation has seen the message yet.
        if let sent, since == nil || user.evaluatedAt.map({ sent > $0 }) ?? true { since = sent }
        guard let since, now - since >= 60 else { return nil }
        return since
    }

    private func isClosed(_ obstacle: Obstacle, for send: FutureSend) -> Bool {
        guard let lane = obstacle.lane else { return false }
        return send.lanes.contains(lane.lane) && (lane.state == LaneReport.stopped || send.at <= now)
    }

    private func whyNoCheckIn(_ read: ReadUser) -> String {
        switch outlook?.reason {
        case .notOptedIn?:
            read.hasProfile
                ? "the preferences are null, so the user has not turned check-ins on"
                : "nudged.recipient has no row of this user"
        case .preferencesMalformed? where preferences?.isUndecided == true: "the user has not turned check-ins on"
        case .preferencesMalformed?: "the preferences can't be used (\(preferences?.malformed ?? "malformed"))"
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
        let parts = [(dropped, "dropped"), (held, "held")].filter { !$0.0.isEmpty }.map { entries, verb -> String in
            let count = Elapsed.counted(entries.count, "message or reminder is", "messages or reminders are")
            return " \(count) \(verb) (\(entries[0].decision.reason.rawValue))."
        }
        return "." + parts.joined()
    }

    private var zoneName: String { zone?.name ?? "UTC" }
    private func day(_ instant: Instant) -> String { InstantText.day(instant, from: now, zone) }
    private func deviceCount(_ send: FutureSend) -> String { Elapsed.counted(send.devices, "device", "devices") }
}

extension Planner {
    func zone(of user: ClaimedUser) -> Zone? {
        let (id, preferences, timezone) = (user.userID, parsed(user.preferences), user.timezone)
        let candidate = Candidate(userID: id, preferences: preferences, timezone: timezone, nudge: .checkIn)
        return (try? policy.zone(of: candidate)) ?? nil
    }
}

extension Explanation.Facts {
    /// Adds the reminders of fan-outs that have not run yet, of the coming days too unless `end` is nil (past).
    mutating func addReminders(_ reader: SnapshotReader, _ planner: Planner, now: Instant, end: Instant?) async throws {
        let user = userID
        var due = try await FutureFanOuts(reader, planner: planner, start: now, end: now + 1, only: user)
        if let present = read?.user { read?.user = due.take(for: [present]).first ?? present }
        gaps = due.gaps
        guard let end else { return }
        let last = end + Outlook.days * 86_400
        coming = try await reader.user(user, now: now, until: last)?.user
        // A view that can't be read now can't be read a second time either.
        guard due.gaps.isEmpty, let claimed = coming else { return }
        var later = try await FutureFanOuts(reader, planner: planner, start: now, end: last, only: user)
        coming = later.take(for: [claimed]).first ?? claimed
        gaps = later.gaps
    }
}
