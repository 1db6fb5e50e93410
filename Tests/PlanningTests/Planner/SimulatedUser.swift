import Fixtures
import APNs
import Policy
import Seeded
@testable import Core
import TestSupport
import TimeZones

import struct FoundationEssentials.UUID

/// A user whose row lives here instead of in PostgreSQL, stepped from `due_at` to `due_at` with random outcomes, crashes and changes.
struct SimulatedUser {
    typealias F = PlannerFixture

    /// What happened that must never happen.
    private(set) var faults: [String] = []
    private(set) var records: [DeliveryRecord] = []
    private(set) var steps = 0
    /// Steps that neither sent nor recorded anything, on their local day.
    private(set) var idleSteps = 0
    private(set) var now: Instant
    private(set) var sends = 0

    private let planner: Planner
    private let userID: UUID
    private let changes: Bool
    private let zoneName: String
    private var random: SplitMix64
    private var row: Change?
    private var version: Int64 = 1
    private var touchedAt: Instant?
    private var preferences: String
    private(set) var minutes: Int
    private var devices: [Device]
    /// Slot and device that Apple has, or may have.
    private var delivered: Set<String> = []
    private var nextDevice = 10
    /// The last time that something was sent: no change is stamped before it, since the clock doesn't run backwards over what went out.
    private var sentAt: Instant?

    init(seed: UInt64, planner: Planner, start: Instant, changes: Bool) {
        self.planner = planner
        self.changes = changes
        random = SplitMix64(seed: seed)
        now = start
        userID = random.uuid()
        zoneName = random.pick(["Asia/Tokyo", "Europe/Berlin", "America/New_York", "Pacific/Auckland", "Asia/Kolkata"])
        minutes = Int.random(in: 0..<1440, using: &random)
        devices = []
        preferences = ""
        let frequency = changes ? Self.frequencies.randomElement(using: &random) ?? "daily" : "daily"
        preferences = Self.write(frequency, minutes, zoneName)
        for _ in 0..<Int.random(in: 1...4, using: &random) { register() }
    }

    private static let frequencies = ["daily", "few_times_a_week", "weekly"]

    private static func write(_ frequency: String, _ minutes: Int, _ zone: String) -> String {
        let time = "\(minutes / 600)\(minutes / 60 % 10):\(minutes % 60 / 10)\(minutes % 10)"
        return
            #"{"check_ins_enabled":true,"frequency":"\#(frequency)","timezone":"\#(zone)","check_in_time":"\#(time)"}"#
    }

    private mutating func register() {
        nextDevice += 1
        let token = F.token(nextDevice)
        devices.append(Device(token: token, registeredAt: now))
        // The same token in another spelling: one phone.
        if random.chance(10), token != token.uppercased() {
            devices.append(Device(token: token.uppercased(), registeredAt: now))
        }
    }

    var claimed: ClaimedUser {
        ClaimedUser(
            ClaimedUser.Values(
                userID: userID,
                version: version,
                dueAt: 0,
                touchedAt: touchedAt,
                since: row?.since,
                evaluatedAt: row?.evaluatedAt,
                state: row?.state ?? UserState(),
                retry: row?.retry,
                preferences: preferences,
                timezone: nil,
                firstSessionComplete: true,
                devices: devices
            )
        )
    }

    /// Lives until `end`.
    mutating func live(until end: Instant) {
        while now < end {
            step()
            if changes, random.chance(5) { change() }
        }
    }

    private mutating func step() {
        steps += 1
        // A sweep is never punctual, and sometimes the daemon is away for long; but nothing is recorded of the time before it knew the user.
        if row != nil, random.chance(3) { now = now + Int64.random(in: 0...200_000, using: &random) }
        let plan = planner.plan(claimed, now: now)
        let before = records.count
        switch plan {
        case .nothing(let rest, _, _):
            records += rest.records
            settle(rest)
        case .send(let sendPlan, _): send(sendPlan)
        case .unreadable(let error): faults.append("undecided at \(now.rfc3339): \(error)")
        }
        if records.count == before { idleSteps += 1 }
    }

    private mutating func settle(_ change: Change) {
        if change.dueAt <= now { faults.append("due_at does not advance at \(now.rfc3339)") }
        if change.dueAt > now + 86_400 { faults.append("due_at is more than a day ahead at \(now.rfc3339)") }
        row = change
        touchedAt = nil
        now = change.dueAt
    }

    private mutating func send(_ sendPlan: SendPlan) {
        var pending = [sendPlan][...]
        // Sometimes fewer streams are free than the user has devices.
        let room = random.chance(20) ? 1 : 10
        guard let part = SendPlan.take(upTo: room, from: &pending).first else { return faults.append("took nothing") }
        check(part)
        if random.chance(5) { return now = now + 1 }  // The intent is refused: given back.
        let atIntent = F.recovered(part, by: planner, now: now)
        if random.chance(5) { return crash(part, atIntent) }
        var outcomes: [PushOutcome] = []
        for target in part.targets { outcomes.append(outcome(part, target)) }
        let answered = now + Int64.random(in: 0...5, using: &random)
        let settled = planner.settle(part, outcomes: outcomes, attemptedAt: now, now: answered)
        records += settled.records
        for stale in settled.staleTokens { devices.removeAll { $0.token == stale.token } }
        now = answered
        let hadTokens = devices.isEmpty
        settle(settled)
        if !settled.staleTokens.isEmpty || hadTokens { touch() }
        if devices.isEmpty {
            register()
            touch()
        }
    }

    private mutating func check(_ nudge: SendPlan) {
        sentAt = now
        let zone = try? F.zones.zone(named: zoneName)
        let minute = (zone?.localTime(at: now).secondOfDay ?? 0) / 60
        if minute >= 22 * 60 || minute < 8 * 60 { faults.append("sent at night, \(now.rfc3339), in \(zoneName)") }
        if !nudge.nudges.allSatisfy({ $0.isValid(at: now) }) { faults.append("sent after its end, \(now.rfc3339)") }
        if Set(nudge.targets.map(\.hash)).count != nudge.targets.count { faults.append("one device twice in a nudge") }
        for target in nudge.targets where delivered.contains("\(nudge.key) \(target.hash)") {
            faults.append("\(nudge.key) sent twice to a device, \(now.rfc3339)")
        }
    }

    private mutating func outcome(_ nudge: SendPlan, _ target: PlannedNudge.Target) -> PushOutcome {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<55:
            delivered.insert("\(nudge.key) \(target.hash)")
            sends += 1
            return .accepted
        case 55..<60:
            delivered.insert("\(nudge.key) \(target.hash)")
            return .unknown(reason: "no_answer")
        case 60..<68: return .rejected(status: 400, reason: "BadDeviceToken", deletes: nil)
        case 68..<70: return .rejected(status: 410, reason: "Unregistered", deletes: .olderThanSend)
        case 70..<80:
            let after = random.chance(50) ? nil : Int.random(in: 0...20_000, using: &random)
            return .delayed(reason: "TooManyRequests", status: 429, retryAfter: after)
        case 80..<92: return .delayed(reason: "ServiceUnavailable", status: 503, retryAfter: nil)
        default: return .unsent(reason: "refused_stream")
        }
    }

    /// The daemon dies with the intent open: whatever Apple got, the record says unknown. The user stays due.
    private mutating func crash(_ nudge: SendPlan, _ atIntent: Change) {
        records += atIntent.records
        for target in nudge.targets { delivered.insert("\(nudge.key) \(target.hash)") }
        row = atIntent
        now = now + Int64.random(in: 60...120, using: &random)
    }

    private mutating func touch() {
        version += 1
        touchedAt = now
    }

    private mutating func change() {
        let last = max(row?.evaluatedAt ?? now, sentAt ?? .first)
        now = now - Int64.random(in: 0...min(3600, max(0, now - last - 1)), using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            minutes = Int.random(in: 0..<1440, using: &random)
            let frequency = Self.frequencies.randomElement(using: &random) ?? "daily"
            preferences = Self.write(frequency, minutes, zoneName)
        case 1: register()
        default: if devices.count > 1 { devices.removeFirst() }
        }
        touch()
    }
}
