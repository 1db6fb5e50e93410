import Planning
import Service
import Policy
import Store
import TimeZones

import struct FoundationEssentials.UUID

/// What is known of a user, and the policy's decision. `words` and `json` show it.
package struct Explanation: Sendable {
    /// The explained instant against the database's clock.
    enum Question: Sendable, Equatable {
        case now
        /// The decision at a future instant, from today's data.
        case future
        /// The record around a past instant. No decision: past preferences are not kept.
        case past
    }

    let userID: UUID
    let question: Question
    /// The database's clock.
    let now: Instant
    /// The explained instant.
    let at: Instant
    /// Nil: nudged has no row of the user, and the app has no data of them.
    let read: ReadUser?
    /// Nil for a past instant.
    let plan: Plan?
    /// The policy's decisions that led to the plan.
    let asked: [DecisionRecorder.Entry]
    /// For each template, whether it was chosen or why not. Empty if no check-in is sent.
    let fates: [(template: Int32, fate: TemplateFate)]
    /// The zone in force. Nil if the user has no valid one.
    let zone: Zone?
    let devices: [ExplainedDevice]
    /// The newest first.
    let records: [DeliveryRecord]
    let paused: Set<NudgeKind>
    /// What could not be read, as text.
    var gaps: [String] = []

    init(_ read: ReadUser, records: [DeliveryRecord], planner: Planner, names: DeviceNames, now: Instant, at: Instant?)
    {
        let at = at ?? now
        var planner = planner
        let recorder = DecisionRecorder()
        planner.recorder = recorder
        userID = read.user.userID
        question = at < now ? .past : at > now ? .future : .now
        self.now = now
        self.at = at
        self.read = read
        plan = at < now ? nil : planner.plan(read.user, now: at)
        asked = recorder.entries
        fates = recorder.fates
        let candidate = Candidate(
            userID: read.user.userID,
            preferences: planner.parsed(read.user.preferences),
            timezone: read.user.timezone,
            nudge: .checkIn
        )
        zone = (try? planner.policy.zone(of: candidate)) ?? nil
        devices = ExplainedDevice.all(of: read.user, planner.lanes, names)
        self.records = records
        paused = planner.paused
    }

    /// For a user who is only in the record.
    init(unknown user: UUID, now: Instant, records: [DeliveryRecord]) {
        userID = user
        question = .past
        self.now = now
        at = now
        read = nil
        plan = nil
        asked = []
        fates = []
        zone = nil
        devices = []
        self.records = records
        paused = []
    }
}
