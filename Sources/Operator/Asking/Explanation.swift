import Planning
import Service
import Policy
import Store
import TimeZones

import struct FoundationEssentials.UUID

/// What is known of a user and what the policy makes of it: a value, shown as words or as JSON.
package struct Explanation: Sendable {
    /// Which of the three questions was asked.
    enum Question: Sendable, Equatable {
        case now
        /// The decision with what is known today.
        case future
        /// The record of that time; no decision, since nobody knows what the preferences were.
        case past
    }

    let userID: UUID
    let question: Question
    /// The database's clock.
    let now: Instant
    /// What was asked for.
    let at: Instant
    /// nil: nudged has no row of them, and the app has nothing.
    let read: ReadUser?
    /// nil for a past instant.
    let plan: Plan?
    /// What the planner asked of the policy.
    let asked: [DecisionRecorder.Entry]
    /// What became of each template, where a check-in goes out.
    let fates: [(template: Int32, fate: TemplateFate)]
    /// The zone that counts; nil where there is none.
    let zone: Zone?
    let devices: [ExplainedDevice]
    /// The record, the newest first.
    let records: [DeliveryRecord]
    let paused: Set<NudgeKind>
    /// What could not be read, in words.
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

    /// Of a user of whom only the record is left.
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
