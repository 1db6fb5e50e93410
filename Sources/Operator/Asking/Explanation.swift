import Core
import Service
import Policy
import TimeZones

import struct FoundationEssentials.UUID

/// What is known of a user, what comes next, and the policy's decision. `text` and `json` show it.
package struct Explanation: Sendable {
    /// The explained instant against the database's clock.
    enum Question: Sendable, Equatable {
        case now
        /// A future instant: what is due until then is taken as sent.
        case future
        /// The record around a past instant. No decision: past preferences are not kept.
        case past
    }

    /// What was read of the database.
    struct Facts: Sendable {
        var read: ReadUser
        /// The user with the reminders of the days to come. Nil for a past instant.
        var coming: ClaimedUser?
        /// The newest first.
        var records: [DeliveryRecord] = []
        var pauses: [Pause] = []
        var daemons: [DaemonRow] = []
        var leftOut = DevicesLeftOut()
        /// What could not be read, as text.
        var gaps: [String] = []
    }

    let userID: UUID
    let question: Question
    /// The database's clock.
    let now: Instant
    /// The explained instant.
    let at: Instant
    /// The user at the explained instant; today's for a past one. Nil: neither nudged nor the app has data of them.
    let read: ReadUser?
    /// Nil for a past instant.
    let plan: Plan?
    /// The policy's decisions that led to the plan.
    let decisions: [DecisionRecorder.Entry]
    /// For each template, whether it was chosen or why not. Empty if no check-in is sent.
    let templates: [(template: Int32, outcome: TemplateOutcome)]
    /// What is sent until the explained instant.
    let before: [FutureSend]
    /// The first pushes from the explained instant on. Nil: none in `Outlook.days`.
    let next: FutureSend?
    /// What a pause holds back, if it would come before `next`.
    let held: FutureSend?
    /// Why no check-in comes, if there is no `next`.
    let reason: Reason?
    /// What stands in the way now.
    let obstacles: [Obstacle]
    /// Why no device can be sent to. Empty if one can.
    let deviceGaps: [DeviceGap]
    /// What is wrong with the preferences. Nil: nothing.
    let malformed: String?
    /// What the policy ignores, and is probably a mistake: a key or a zone that is unknown, a consent of a wrong type.
    let mistakes: [String]
    /// Whether a decision service is configured and the user does not consent.
    let lacksConsent: Bool
    /// The zone in force. Nil if the user has no valid one.
    let zone: Zone?
    let devices: [ExplainedDevice]
    /// The newest first.
    let records: [DeliveryRecord]
    let paused: Set<NudgeKind>
    /// What could not be read, as text.
    let gaps: [String]

    init(_ facts: Facts, planner: Planner, names: DeviceNames = DeviceNames(secret: ""), now: Instant, at: Instant?) {
        let at = at ?? now
        let question: Question = at < now ? .past : at > now ? .future : .now
        var read = facts.read
        var outlook: Outlook?
        if question != .past {
            let known = Outlook(facts.coming ?? read.user, planner: planner, now: now, at: at)
            if question == .future { read.user = known.user.claimed(at: at) }
            outlook = known
        }
        var recording = planner
        let recorder = DecisionRecorder()
        recording.recorder = recorder
        let plan = question == .past ? nil : recording.plan(read.user, now: at)
        let user = read.user
        let preferences = planner.parsed(user.preferences)
        let candidate = Candidate(
            userID: user.userID,
            preferences: preferences,
            timezone: user.timezone,
            nudge: .checkIn
        )
        self.question = question
        self.now = now
        self.at = at
        self.read = read
        self.plan = plan
        userID = user.userID
        decisions = recorder.entries
        templates = recorder.templateOutcomes
        before = outlook?.before ?? []
        // At a future instant the user is evaluated, whether they are due or not.
        if question == .future, case .send(let sendPlan, _)? = plan {
            next = FutureSend(at: at, plan: sendPlan)
            held = nil
        } else {
            next = outlook?.next
            held = outlook?.held
        }
        reason = outlook?.reason
        devices = ExplainedDevice.all(of: user, planner.lanes, names, now: at)
        deviceGaps = DeviceGap.all(devices, facts.leftOut)
        obstacles = Obstacle.all(
            range: read.range,
            owner: read.owner,
            daemons: facts.daemons,
            pauses: facts.pauses,
            lanes: Set(devices.map(\.lane))
        )
        malformed = preferences.malformed
        mistakes =
            ValueFaults.unknownKeys(user.preferences) + [ValueFaults.consent(user.preferences)].compactMap(\.self)
            + [preferences.timezone, user.timezone].compactMap { ValueFaults.zone($0, planner.policy.zones) }
            + user.reminders.all.lazy.compactMap { ValueFaults.zone($0.timezone, planner.policy.zones) }.prefix(1)
            .map { "a reminder waits: \($0)" }
        lacksConsent = planner.asksService && !preferences.smartEnabled
        zone = (try? planner.policy.zone(of: candidate)) ?? nil
        records = facts.records
        paused = planner.paused
        gaps = facts.gaps
    }

    /// For a user who is only in the record.
    init(unknown user: UUID, now: Instant, records: [DeliveryRecord]) {
        userID = user
        question = .past
        self.now = now
        at = now
        read = nil
        plan = nil
        decisions = []
        templates = []
        before = []
        next = nil
        held = nil
        reason = nil
        obstacles = []
        deviceGaps = []
        malformed = nil
        mistakes = []
        lacksConsent = false
        zone = nil
        devices = []
        self.records = records
        paused = []
        gaps = []
    }
}
