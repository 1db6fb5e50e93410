import APNs
import Fixtures
import Policy
@testable import Core
import Testing
import TimeZones

/// What the app says of a user's activity: when it saw them, and which conversation they are in.
@Suite struct PlannerActivityTests {
    typealias F = PlannerFixture
    typealias M = MessageFixture

    /// 10:00 in Tokyo, when the check-in is due.
    private static let slot = F.at("2026-11-20T01:00:00Z")
    private var slot: Instant { Self.slot }

    private static func user(seen: Instant? = nil, ignored: Int16 = 0, checkIns: [Instant] = []) -> ClaimedUser {
        var values = F.user(
            history: History(
                checkIns: checkIns.map { CheckIn(at: $0, slot: LocalDate(days: Int32($0.seconds / 86_400))) }
            )
        ).values
        values.seen = seen
        values.ignored = ignored
        return ClaimedUser(values)
    }

    private func ignored(_ planner: Planner, _ user: ClaimedUser, _ outcome: PushOutcome = .accepted) throws -> Int16 {
        let plan = try #require(planner.plan(user, now: slot).sendPlan)
        return planner.settle(plan, outcomes: [outcome], attemptedAt: slot, now: slot).ignored
    }

    /// Its slot is closed and recorded, and the user is evaluated again at once, for the next one.
    @Test func checkIn_whenTheAppSawTheUser_isSkipped() throws {
        let planner = F.planner(Rules { $0.skipIfActiveMinutes = 30 })
        let plan = planner.plan(Self.user(seen: slot - 1799), now: slot)
        #expect(plan.sendPlan == nil && plan.reason == .notDue)
        #expect(plan.records.map(\.reason) == ["active"] && plan.records.map(\.outcome) == [.skipped])
        #expect(plan.records.map(\.slot) == [F.date("2026-11-20")])
        #expect(plan.rest?.state.history.closed == [F.date("2026-11-20")])
        #expect(planner.plan(Self.user(seen: slot - 1800), now: slot).sendPlan != nil)
        // A clock that was a year ahead must not keep check-ins away.
        #expect(planner.plan(Self.user(seen: slot + 365 * 86_400), now: slot).sendPlan != nil)
        #expect(planner.plan(Self.user(seen: slot + 60), now: slot).sendPlan == nil)
        #expect(F.planner().plan(Self.user(seen: slot), now: slot).sendPlan != nil)
    }

    @Test func checkIn_whenTheUserIsHeldOut_isSkipped() throws {
        let planner = F.planner(Rules { $0.holdoutPercent = 50 })
        var heldOut = 0
        for number: UInt8 in 0..<200 {
            let plan = planner.plan(F.user(id: M.id(number)), now: slot)
            if plan.sendPlan == nil { heldOut += plan.records.map(\.reason) == ["holdout"] ? 1 : 0 }
        }
        #expect((80...120).contains(heldOut))
        // The others are the same users under a smaller percentage, so a change of it moves few.
        let message = F.user(messages: [M.message(1)])
        #expect(planner.plan(message, now: slot).sendPlan != nil)
    }

    @Test func checkIn_whenTheUserIgnoredMany_holds() {
        let planner = F.planner(Rules { $0.backOffAfter = 5 })
        #expect(planner.plan(Self.user(ignored: 14), now: slot).reason != .dormant)
        #expect(planner.plan(Self.user(ignored: 15), now: slot).reason == .dormant)
        #expect(F.planner().plan(Self.user(ignored: 15), now: slot).sendPlan != nil)
    }

    /// It counts once for all devices, also if the outcome stays unknown. What no device got does not count.
    @Test func ignored_countsCheckInsSinceTheAppSawTheUser() throws {
        let planner = F.planner(Rules { $0.backOffAfter = 50 })
        let yesterday = slot - 86_400
        #expect(try ignored(planner, Self.user(ignored: 3)) == 4)
        #expect(try ignored(planner, Self.user(ignored: 3), .unknown(reason: "no_answer")) == 4)
        #expect(
            try ignored(planner, Self.user(ignored: 3), .rejected(status: 400, reason: "TopicDisallowed", deletes: nil))
                == 3
        )
        #expect(try ignored(planner, Self.user(seen: yesterday + 60, ignored: 3, checkIns: [yesterday])) == 1)
        #expect(try ignored(planner, Self.user(seen: yesterday, ignored: 3, checkIns: [yesterday])) == 1)
        #expect(
            try ignored(
                planner,
                Self.user(seen: yesterday - 86_000, ignored: 3, checkIns: [yesterday, yesterday - 86_400])
            ) == 2
        )
        // The call came before what the history remembers. It made the user due, so the count begins with it.
        #expect(try ignored(planner, Self.user(seen: yesterday - 60, ignored: 3, checkIns: [yesterday])) == 4)
        #expect(try ignored(F.planner(), Self.user(ignored: 3)) == 0)
        let announced = planner.announced(
            try #require(planner.plan(Self.user(ignored: 3), now: slot).sendPlan),
            attemptedAt: slot
        )
        #expect(announced.ignored == 4)
        let recovered = Change(
            userID: F.userID,
            turn: 0,
            content: announced.content,
            attemptedAt: slot.microseconds,
            reason: "daemon_lost"
        )
        #expect(recovered?.ignored == 4 && recovered?.records.map(\.localMinute) == [4 * 1440 + 600])
    }

    /// The answer after the check-in counts it: `nudged.person.reason` says at once that there is no next one.
    @Test func ignored_isKnownToTheNextAnswer() throws {
        let planner = F.planner(Rules { $0.backOffAfter = 2 })
        var values = Self.user(ignored: 1).values
        values.preferences =
            #"{"check_ins_enabled":true,"frequency":"weekly","weekday":5,"check_in_time":"10:00","timezone":"Asia/Tokyo"}"#
        let plan = try #require(planner.plan(ClaimedUser(values), now: slot).sendPlan)
        #expect(planner.settle(plan, outcomes: [.accepted], attemptedAt: slot, now: slot).reason == .dormant)
    }

    /// Who comes back an hour after the slot is in the app now: the next check-in is tomorrow's, and none was missed.
    @Test func checkIn_whenTheUserComesBack_isTheNextOne() throws {
        let planner = F.planner(Rules { $0.backOffAfter = 5 })
        var values = Self.user(seen: slot + 3600, ignored: 15).values
        values.evaluatedAt = slot - 86_400
        let plan = planner.plan(ClaimedUser(values), now: slot + 3605)
        #expect(plan.reason == .notDue && plan.records.isEmpty)
        let change = try #require(plan.rest)
        #expect(change.ignored == 0 && change.since == slot + 3600)
        #expect(planner.plan(ClaimedUser(values).settled(change), now: slot + 86_400).sendPlan != nil)
        values.seen = slot - 3600
        #expect(planner.plan(ClaimedUser(values), now: slot).sendPlan != nil)
        // Without a lower step nothing is rescheduled.
        values.seen = slot + 60
        values.ignored = 4
        #expect(planner.plan(ClaimedUser(values), now: slot + 120).sendPlan != nil)
    }

    /// Entries from a wrong clock say nothing of what the user ignored.
    @Test func ignored_whenEntriesAreFarAhead_leavesThemOut() throws {
        let planner = F.planner(Rules { $0.backOffAfter = 50 })
        let (ahead, yesterday) = (slot + 365 * 86_400, slot - 86_400)
        #expect(try ignored(planner, Self.user(seen: yesterday + 60, ignored: 9, checkIns: [yesterday, ahead])) == 1)
    }

    /// Friday, 10:00 in Tokyo.
    @Test func record_hasTheUsersTime() throws {
        let planner = F.planner()
        let plan = try #require(planner.plan(Self.user(), now: slot).sendPlan)
        let change = planner.settle(plan, outcomes: [.accepted], attemptedAt: slot, now: slot)
        #expect(change.records.map(\.localMinute) == [4 * 1440 + 600])
    }

    @Test func payload_namesTheNudge() throws {
        let planner = F.planner()
        func name(_ user: ClaimedUser) throws -> String? {
            M.text(try M.payload(planner.plan(user, now: slot).sendPlan?.nudges.first)["nudge"])
        }
        #expect(try name(Self.user()) == "2026-11-20")
        #expect(try name(M.user([M.message(7)])) == "00000000-0000-4000-8000-000000000007")
    }

    /// A smart message waits for the pause of the conversation that it belongs to.
    @Test func message_ofAnActiveConversation_waitsForItsPause() throws {
        let (its, another) = ("0F4A1C3E-9B7D-4C2A-8E5F-001122334455", "0f4a1c3e-9b7d-4c2a-8e5f-001122334456")
        func plan(_ conversation: String?, messages: Int = 20, smart: Bool = true) -> Plan {
            var message = M.message(1)
            message.conversationID = conversation
            var values = M.user([message], preferences: #"{"smart_enabled":\#(smart),"timezone":"Asia/Tokyo"}"#).values
            values.context =
                #"{"conversation_id":"\#(its.lowercased())","conversation_messages":\#(messages),"conversation_last_at":"\#((M.now - 60).rfc3339)"}"#
            return F.planner().plan(ClaimedUser(values), now: M.now)
        }
        #expect(plan(its).sendPlan == nil && plan(its).rest?.dueAt == M.now + 60)
        #expect(plan(another).sendPlan != nil)
        #expect(plan(nil).sendPlan != nil)
        #expect(plan(its, messages: 19).sendPlan != nil)
        #expect(plan(its, smart: false).sendPlan != nil)
    }

    // MARK: A year

    /// The check-ins of a year, of a daily user whom the app sees after every so many of them, ten minutes later.
    private func year(backOffAfter: Int64, seenEvery: Int?) throws -> [Instant] {
        let planner = F.planner(Rules { $0.backOffAfter = backOffAfter })
        var user = Self.user()
        var now = slot
        var sent: [Instant] = []
        while now < slot + 365 * 86_400 {
            switch planner.plan(user, now: now) {
            case .nothing(let change, _, _): user = user.settled(change)
            case .send(let plan, _):
                user = user.settled(planner.settle(plan, outcomes: [.accepted], attemptedAt: now, now: now))
                sent.append(now)
                if let seenEvery, sent.count.isMultiple(of: seenEvery) {
                    // A touch, as `nudged.note_seen` writes it if the user ignored some.
                    var values = user.values
                    values.seen = now + 600
                    if values.ignored > 0 { values.dueAt = (now + 600).microseconds }
                    user = ClaimedUser(values)
                }
            case .unreadable(let error): throw error
            }
            now = max(now + 1, Instant(microseconds: user.dueAt) ?? now + 86_400)
        }
        return sent
    }

    /// Daily until five are ignored, then every few days until ten, then weekly until fifteen, then none.
    @Test func year_ofAUserWhoNeverOpens_endsInSilence() throws {
        let sent = try year(backOffAfter: 5, seenEvery: nil)
        #expect(sent.count == 15)
        let days = zip(sent, sent.dropFirst()).map { ($1 - $0) / 86_400 }
        #expect(days.prefix(4) == [1, 1, 1, 1] && days[4...8].allSatisfy { (2...5).contains($0) }, "\(days)")
        #expect(days[9...].allSatisfy { (4...11).contains($0) } && days[11...].allSatisfy { $0 == 7 }, "\(days)")
    }

    /// Fewer after the fifth, and daily again after each tenth.
    @Test func year_ofAUserWhoOpensEveryTenth_goesOn() throws {
        let sent = try year(backOffAfter: 5, seenEvery: 10)
        let days = zip(sent, sent.dropFirst()).map { ($1 - $0) / 86_400 }
        let rounds = stride(from: 0, to: days.count - 10, by: 10).map { Array(days[$0..<$0 + 10]) }
        #expect(rounds.count > 15 && rounds.allSatisfy { $0.prefix(4) == [1, 1, 1, 1] }, "\(days)")
        let patient = try year(backOffAfter: 11, seenEvery: 10)
        #expect(patient.count == 365, "one who opens every tenth keeps theirs")
    }
}
