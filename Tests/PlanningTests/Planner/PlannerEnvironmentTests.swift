import APNs
import Fixtures
import Policy
import Testing
import TimeZones

@testable import Core

/// A token of the other environment: one push too many, once.
@Suite struct PlannerEnvironmentTests {
    typealias F = PlannerFixture
    private static let production = LaneIdentity(environment: "production", topic: F.lane.topic)
    private static let sandbox = F.lane
    private let now = MessageFixture.now
    private let suspect = PushOutcome.suspect(status: 400, reason: "BadDeviceToken")

    private let planner = F.planner(
        lanes: LaneDirectory(standard: Self.production, others: [Self.sandbox])
    )

    /// The column after notes, as nudged.merged_quarantine makes it of one device's.
    private func column(_ notes: [EnvironmentNote], after known: [EnvironmentNote] = []) -> [EnvironmentNote] {
        func isSame(_ one: EnvironmentNote, _ other: EnvironmentNote) -> Bool {
            one.deviceHash == other.deviceHash && one.environment == other.environment && one.topic == other.topic
        }
        let fresh = notes.filter { note in
            !known.contains {
                isSame($0, note)
                    && ($0.state == .moved || note.state == .suspected && $0.registration == note.registration)
            }
        }
        return fresh + known.filter { old in !fresh.contains { isSame($0, old) } }
    }

    private func json(_ notes: [EnvironmentNote]) -> String {
        let items = notes.map { note in
            let registration = note.registration.map(String.init) ?? "null"
            let state = note.state == .refused ? "" : #","state":"\#(note.state.rawValue)""#
            return
                #"{"device":"\#(note.deviceHash)","environment":"\#(note.environment)","topic":"\#(note.topic)","#
                + #""registered_at":\#(registration),"at":"\#(note.at.rfc3339)","reason":"\#(note.reason)"\#(state)}"#
        }
        return "[\(items.joined(separator: ","))]"
    }

    /// What `Query.quarantine` writes once the window of a lane blames the device.
    private func refused(
        _ device: Device,
        on lane: LaneIdentity,
        reason: String = "BadDeviceToken"
    ) -> EnvironmentNote {
        EnvironmentNote(
            userID: F.userID,
            token: device.token,
            deviceHash: PushIdentity.deviceHash(token: device.token),
            environment: lane.environment,
            topic: lane.topic,
            state: .refused,
            registration: device.registration,
            at: now,
            reason: reason
        )
    }

    private func user(_ notes: [EnvironmentNote], retry: String? = nil, device: Device = F.device(1)) -> ClaimedUser {
        F.user(
            history: MessageFixture.history,
            retry: retry.flatMap { Retry.all(json: $0).first },
            quarantine: notes.isEmpty ? nil : json(notes),
            devices: [device],
            messages: [MessageFixture.message(1)]
        )
    }

    private func attempt(_ user: ClaimedUser, at instant: Instant, _ outcome: PushOutcome) throws -> Change {
        let plan = try #require(planner.plan(user, now: instant).sendPlan)
        return planner.settle(plan, outcomes: [outcome], attemptedAt: instant, now: instant)
    }

    @Test func token_whenOfTheSandbox_costsOnePushInProduction() throws {
        let first = try #require(planner.plan(user([]), now: now).sendPlan)
        #expect(first.targets.map(\.lane) == [Self.production] && first.targets.map(\.trial) == [.open])
        let settled = try attempt(user([]), at: now, suspect)
        #expect(settled.environments.map(\.state) == [.suspected])
        #expect(settled.dueAt == now + 1, "nobody waits for the window")
        #expect(settled.records.map(\.outcome) == [.deferred] && settled.ended.isEmpty)

        // The same message goes to the sandbox at once.
        var notes = column(settled.environments)
        let again = user(notes, retry: settled.retry)
        let trial = try #require(planner.plan(again, now: now + 1).sendPlan)
        #expect(trial.targets.map(\.lane) == [Self.sandbox] && trial.targets.map(\.trial) == [.running])
        let moved = try attempt(again, at: now + 1, .accepted)
        #expect(moved.environments.map(\.state) == [.moved])
        #expect(moved.environments.map(\.environment) == ["production"])
        #expect(moved.environments.first?.newEnvironment == "sandbox")
        #expect(moved.records.map(\.outcome) == [.accepted] && moved.ended.count == 1)

        // If the sandbox can't be reached for a day, the message doesn't wait any longer.
        let last = try #require(planner.plan(again, now: now + 86_399).sendPlan)
        #expect(last.targets.map(\.lane) == [Self.sandbox])
        let given = try #require(planner.plan(again, now: now + 86_400).sendPlan)
        #expect(given.targets.map(\.lane) == [Self.production] && given.targets.map(\.trial) == [.closed])

        // From now on, whatever the app registers and whatever production's window finds later.
        notes = column(moved.environments, after: notes)
        notes = column([refused(F.device(1), on: Self.production)], after: notes)
        for registered in ["2026-01-01T00:00:00Z", "2026-11-20T05:00:00Z"] {
            let plan = planner.plan(user(notes, device: F.device(1, registered: registered)), now: now + 100)
            #expect(plan.sendPlan?.targets.map(\.lane) == [Self.sandbox])
            #expect(plan.sendPlan?.targets.map(\.trial) == [.closed], "it is known, so nothing is written again")
        }
    }

    @Test func token_whenOfProductionInTheSandbox_isTriedTheOtherWayRound() throws {
        let device = Device(token: F.token(1), registeredAt: now - 100, environment: "sandbox")
        let settled = try attempt(user([], device: device), at: now, suspect)
        let trial = planner.plan(
            user(column(settled.environments), retry: settled.retry, device: device),
            now: now + 1
        )
        #expect(trial.sendPlan?.targets.map(\.lane) == [Self.production])
    }

    @Test func token_whenBadInBoth_isQuarantinedAsEver() throws {
        let device = F.device(1)
        let settled = try attempt(user([]), at: now, suspect)
        var notes = column(settled.environments)
        let tried = try attempt(user(notes, retry: settled.retry), at: now + 1, suspect)
        #expect(tried.environments.map(\.state) == [.tried])
        #expect(tried.dueAt == now + 66, "production's window decides")
        notes = column(tried.environments, after: notes)

        // The window blames it.
        let blamed = column([refused(device, on: Self.production)], after: notes)
        let end = planner.plan(user(blamed, retry: tried.retry), now: now + 62)
        #expect(end.sendPlan == nil && end.records.first?.outcome == .rejected)
        #expect(planner.plan(user(blamed), now: now + 100).sendPlan == nil)

        // Another registration is tried again.
        let anew = F.device(1, registered: "2026-11-20T05:00:00Z")
        #expect(planner.plan(user(blamed, device: anew), now: now).sendPlan?.targets.map(\.trial) == [.open])
    }

    /// The lane stopped, so nobody was blamed.
    @Test func token_whenTheWindowBlamesNobody_goesToItsOwnLaneAgain() throws {
        let settled = try attempt(user([]), at: now, suspect)
        var notes = column(settled.environments)
        let tried = try attempt(user(notes, retry: settled.retry), at: now + 1, suspect)
        notes = column(tried.environments, after: notes)
        let plan = planner.plan(user(notes, retry: tried.retry), now: now + 66)
        #expect(plan.sendPlan?.targets.map(\.lane) == [Self.production])
        #expect(plan.sendPlan?.targets.map(\.trial) == [.closed])
        // Refused once more, nothing is noted, and it is not tried a second time.
        let again = try attempt(user(notes, retry: tried.retry), at: now + 66, suspect)
        #expect(again.environments.isEmpty && again.dueAt == now + 131)
    }

    /// Neither an answer that is lost nor one that asks for patience leads back to production.
    @Test(
        arguments: [
            PushOutcome.unknown(reason: "connection_lost"), .unsent(reason: "goaway"),
            .delayed(reason: "InternalServerError", status: 500, retryAfter: nil),
        ]
    )
    func trial_whenItHasNoAnswer_staysWhereItIs(outcome: PushOutcome) throws {
        let settled = try attempt(user([]), at: now, suspect)
        let notes = column(settled.environments)
        let lost = try attempt(user(notes, retry: settled.retry), at: now + 1, outcome)
        #expect(lost.environments.isEmpty)
        let plan = planner.plan(user(notes, retry: lost.retry), now: now + 3_600)
        #expect(plan.sendPlan?.targets.map(\.lane) == [Self.sandbox])
        #expect(plan.sendPlan?.targets.map(\.trial) == [.running])
    }

    /// Only BadDeviceToken can mean the other environment.
    @Test func token_whenNotForTheTopic_isNotTriedElsewhere() throws {
        let topic = PushOutcome.suspect(status: 400, reason: "DeviceTokenNotForTopic")
        let settled = try attempt(user([]), at: now, topic)
        #expect(settled.environments.isEmpty && settled.dueAt == now + 65)
        let blamed = refused(F.device(1), on: Self.production, reason: "DeviceTokenNotForTopic")
        #expect(planner.plan(user([blamed]), now: now).sendPlan == nil)
    }

    /// A device from before the other lane was configured.
    @Test func quarantine_whenALaneIsAdded_isTriedOnce() {
        let plan = planner.plan(user([refused(F.device(1), on: Self.production)]), now: now)
        #expect(plan.sendPlan?.targets.map(\.lane) == [Self.sandbox])
        #expect(plan.sendPlan?.targets.map(\.trial) == [.running])
    }

    @Test func token_whenOneEnvironmentIsConfigured_isNotTriedElsewhere() throws {
        let planner = F.planner(
            lanes: LaneDirectory(
                standard: Self.production,
                others: [LaneIdentity(environment: "sandbox", topic: "com.example.other")]
            )
        )
        let plan = try #require(planner.plan(user([]), now: now).sendPlan)
        #expect(plan.targets.map(\.trial) == [.closed])
        let settled = planner.settle(plan, outcomes: [suspect], attemptedAt: now, now: now)
        #expect(settled.environments.isEmpty && settled.dueAt == now + 65)
    }

    /// The sandbox is no longer configured: production would refuse the token with each nudge.
    @Test func token_whenItsNewLaneIsGone_getsNothing() throws {
        let settled = try attempt(user([]), at: now, suspect)
        let notes = column(settled.environments)
        let moved = try attempt(user(notes, retry: settled.retry), at: now + 1, .accepted)
        let one = F.planner(
            lanes: LaneDirectory(standard: Self.production)
        )
        #expect(one.plan(user(column(moved.environments, after: notes)), now: now + 2).sendPlan == nil)
    }

    /// Rows of a table that the app had before.
    @Test(
        arguments: [
            ("sandbox", "com.example.app", true), (" Sandbox\r\n", " com.example.app ", true),
            ("Development", nil, true),
            ("DEV", "COM.EXAMPLE.APP", true), ("", nil, false), (" ", " ", false), ("prod", nil, false),
            ("PRODUCTION", nil, false), (nil, "Com.Example.App", false),
        ] as [(String?, String?, Bool)]
    )
    func lane_whenTheRowSpellsItOtherwise_isTheConfiguredOne(environment: String?, topic: String?, isSandbox: Bool)
        throws
    {
        let topic = topic?.replacing("com.example.app", with: F.lane.topic)
            .replacing("COM.EXAMPLE.APP", with: F.lane.topic.uppercased())
            .replacing("Com.Example.App", with: F.lane.topic.capitalized)
        let device = Device(token: F.token(1), registration: nil, environment: environment, topic: topic)
        let lane = isSandbox ? Self.sandbox : Self.production
        #expect(planner.lanes.lane(of: device) == lane)
        #expect(planner.lanes.wanted(by: device) == lane)
        // The token is deleted by what its row says.
        let gone = try attempt(
            user([], device: device),
            at: now,
            .rejected(status: 410, reason: "Unregistered", deletes: .olderThanSend)
        )
        #expect(gone.staleTokens.map(\.environment) == [environment ?? lane.environment])
        #expect(gone.staleTokens.map(\.topic) == [topic ?? lane.topic])
    }

    @Test func lane_whenTheWordIsUnknown_isNone() {
        for environment in ["staging", "sand box", "\u{212A}"] {
            let device = Device(token: F.token(1), registration: nil, environment: environment)
            #expect(planner.lanes.lane(of: device) == nil && planner.lanes.wanted(by: device).environment != "sandbox")
        }
    }

    /// A 410 of the sandbox names the environment of the row, or the token would never be deleted.
    @Test func token_whenGoneInItsNewEnvironment_isDeletedByItsRow() throws {
        let device = Device(token: F.token(1), registeredAt: now - 100, environment: "production")
        let settled = try attempt(user([], device: device), at: now, suspect)
        let gone = try attempt(
            user(column(settled.environments), retry: settled.retry, device: device),
            at: now + 1,
            .rejected(status: 410, reason: "Unregistered", deletes: .olderThanSend)
        )
        #expect(gone.staleTokens.map(\.environment) == ["production"])
    }
}
