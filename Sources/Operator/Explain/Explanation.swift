package import Configuration
import Core
import Policy
import Service
package import TimeZones

package import struct FoundationEssentials.UUID

/// `nudged explain`: what is known of a user, what comes next or what stands in the way, and why. It uses the sweep's
/// planner and data, and writes nothing. `text` and `json` show it.
package struct Explanation: CommandOutput {
    /// The explained instant against the database's clock.
    enum Question: Sendable, Equatable {
        case now
        /// A future instant: what is due until then is taken as sent.
        case future
        /// The record around a past instant. No decision: past preferences are not kept.
        case past
    }

    struct Facts: Sendable {
        var read: ReadUser
        /// The user with the reminders of the days to come. Nil for a past instant.
        var coming: ClaimedUser?
        /// The newest first.
        var records: [DeliveryRecord] = []
        var pauses: [Pause] = []
        var daemons: [DaemonRow] = []
        var leftOut = DevicesLeftOut()
        var gaps: [String] = []
    }

    let userID: UUID
    let question: Question
    let now: Instant
    let at: Instant
    /// The user at the explained instant; today's for a past one. Nil: neither nudged nor the app has data of them.
    private(set) var read: ReadUser?
    private(set) var plan: Plan?
    private(set) var decisions: [DecisionRecorder.Entry] = []
    /// For each template, whether it was chosen or why not. Empty if no check-in is sent.
    private(set) var templates: [(template: Int32, outcome: TemplateOutcome)] = []
    /// What is sent until the explained instant.
    private(set) var before: [FutureSend] = []
    /// The first pushes from the explained instant on. Nil: none in `Outlook.days`.
    private(set) var next: FutureSend?
    /// What a pause holds back, if it would come before `next`.
    private(set) var held: FutureSend?
    /// Why no check-in comes, if there is no `next`.
    private(set) var reason: Reason?
    private(set) var obstacles: [Obstacle] = []
    private(set) var deviceGaps: [DeviceGap] = []
    private(set) var malformed: String?
    private(set) var isUndecided = false
    /// What the policy ignores, and is probably a mistake: a key or a zone that is unknown, a consent of a wrong type.
    private(set) var mistakes: [String] = []
    /// Check-ins that the user has ignored since the app last saw them. Nil: no rule counts them.
    private(set) var ignored: Int64?
    /// Whether a decision service is configured and the user does not consent.
    private(set) var lacksConsent = false
    private(set) var zone: Zone?
    private(set) var devices: [ExplainedDevice] = []
    /// The newest first.
    let records: [DeliveryRecord]
    private(set) var paused: Set<NudgeKind> = []
    private(set) var gaps: [String] = []

    init(unknown user: UUID, now: Instant, records: [DeliveryRecord]) {
        userID = user
        question = .past
        self.now = now
        at = now
        self.records = records
    }

    init(_ facts: Facts, planner: Planner, names: DeviceNames = DeviceNames(secret: ""), now: Instant, at: Instant?) {
        let at = at ?? now
        let question: Question = at < now ? .past : at > now ? .future : .now
        self.question = question
        self.now = now
        self.at = at
        userID = facts.read.user.userID
        records = facts.records
        paused = planner.paused
        gaps = facts.gaps
        var read = facts.read
        if question != .past {
            let outlook = Outlook(facts.coming ?? read.user, planner: planner, now: now, at: at)
            if question == .future { read.user = outlook.user.claimed(at: at) }
            (before, next, held, reason) = (outlook.before, outlook.next, outlook.held, outlook.reason)
            let recorder = DecisionRecorder()
            var recording = planner
            recording.recorder = recorder
            plan = recording.plan(read.user, now: at)
            (decisions, templates) = (recorder.entries, recorder.templateOutcomes)
        }
        // At a future instant the user is evaluated, whether they are due or not.
        if question == .future, case .send(let sendPlan, _)? = plan {
            (next, held) = (FutureSend(at: at, plan: sendPlan), nil)
        }
        self.read = read
        let user = read.user
        let zone = planner.zone(of: user)
        self.zone = zone
        devices = ExplainedDevice.all(of: user, planner.lanes, names, now: at, zone)
        deviceGaps = DeviceGap.all(devices, facts.leftOut)
        obstacles = Obstacle.all(of: read, facts, lanes: Set(devices.map(\.lane)), now: now, zone)
        let preferences = planner.parsed(user.preferences)
        malformed = preferences.malformed
        isUndecided = preferences.isUndecided
        let zones = planner.policy.zones
        mistakes =
            ValueFaults.unknownKeys(user.preferences) + [ValueFaults.consent(user.preferences)].compactMap(\.self)
            + [preferences.timezone, user.timezone].compactMap { ValueFaults.zone($0, zones) }
            + user.reminders.all.lazy.compactMap { ValueFaults.zone($0.timezone, zones) }.prefix(1)
            .map { "a reminder waits: \($0)" }
        ignored = planner.ignored(by: user, now: at)
        lacksConsent = planner.asksService && !preferences.smartEnabled
    }
}

extension Planner {
    func zone(of user: ClaimedUser) -> Zone? {
        let candidate = Candidate(
            userID: user.userID,
            preferences: parsed(user.preferences),
            timezone: user.timezone,
            nudge: .checkIn
        )
        return (try? policy.zone(of: candidate)) ?? nil
    }
}

// MARK: Reading

extension Explanation {
    /// How far ahead an instant can be explained. Every day until then is simulated.
    package static let mostDaysAhead: Int64 = 366
    private static let shownSends = 20
    /// For a past instant: the seconds before and after it whose record is shown.
    private static let around: Int64 = 86_400

    /// Explains the decision. Nil if neither nudged, the app nor the record has anything of that user.
    ///
    /// - Parameter at: the instant to explain, at most `mostDaysAhead`. Nil: now. A past instant is answered from the
    ///   record.
    package static func explain(
        _ user: UUID,
        at: Instant?,
        _ configuration: Configuration
    ) async throws -> Explanation? {
        let assembly = try Assembly(configuration, zones: ZoneDatabase())
        return try await DatabaseAccess(configuration).withStore { store in
            try await explain(user, at: at, planner: assembly.planner, names: assembly.deviceNames, store: store)
        }
    }

    /// - Parameter now: for tests. Nil: the database's clock.
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
            let isPast = at.map { $0 < now } ?? false
            let records = try await reader.deliveries(
                of: user,
                from: isPast ? (at ?? now) - around : .first,
                through: isPast ? (at ?? now) + around : .last,
                limit: isPast ? 200 : shownSends
            )
            // As a sweep finds the user.
            guard let read = try await reader.user(user, now: now) else {
                return records.isEmpty ? nil : Explanation(unknown: user, now: now, records: records)
            }
            var facts = Facts(read: read, records: records)
            facts.pauses = try await reader.pauses()
            facts.daemons = try await reader.daemons()
            facts.leftOut = try await reader.devicesLeftOut(of: user)
            var planner = planner
            planner.paused = Set(facts.pauses.filter { $0.resumedAt == nil }.map(\.kind))
            planner.checkInTexts = CheckInTexts(templates: try await reader.templates())
            try await facts.addReminders(reader, planner, now: now, end: isPast ? nil : max(at ?? now, now))
            return Explanation(facts, planner: planner, names: names, now: now, at: at)
        }
    }
}

extension Explanation.Facts {
    /// Adds the reminders of fan-outs that have not run yet, which have no row of the user, and the reminders of the
    /// days to come.
    ///
    /// - Parameter end: the explained instant. Nil for a past one.
    fileprivate mutating func addReminders(
        _ reader: SnapshotReader,
        _ planner: Planner,
        now: Instant,
        end: Instant?
    ) async throws {
        let user = read.user.userID
        var due = try await FutureFanOuts(reader, planner: planner, start: now, end: now + 1, only: user)
        read.user = due.take(for: [read.user]).first ?? read.user
        gaps = due.gaps
        guard let end else { return }
        let last = end + Outlook.days * 86_400
        guard let coming = try await reader.user(user, now: now, until: last)?.user else { return }
        // A view that can't be read now can't be read a second time either.
        guard due.gaps.isEmpty else {
            self.coming = coming
            return
        }
        var later = try await FutureFanOuts(reader, planner: planner, start: now, end: last, only: user)
        self.coming = later.take(for: [coming]).first ?? coming
        gaps = later.gaps
    }
}
