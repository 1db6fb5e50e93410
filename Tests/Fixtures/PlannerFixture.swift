package import Policy
@testable package import Core
package import TimeZones

package import struct FoundationEssentials.UUID

package import Configuration

/// A planner of the default rules, and users as a claim would bring them.
package enum PlannerFixture {
    package static let lane = LaneIdentity(environment: "sandbox", topic: "com.example.app")
    package static let zones = ZoneDatabase()
    package static let userID = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    package static let daily =
        #"{"check_ins_enabled":true,"frequency":"daily","timezone":"Asia/Tokyo","check_in_time":"10:00"}"#

    package static func planner(
        _ rules: Rules = .defaults,
        lanes: LaneDirectory = LaneDirectory(standard: lane),
        zones: ZoneDatabase = zones,
        messages: Configuration.Messages = messages
    ) -> Planner {
        var planner = Planner(policy: Policy(rules: rules, zones: zones), lanes: lanes, messages: messages)
        planner.checkInTexts = CheckInTexts(templates: [StoredTemplate(id: 1, title: "Hello", body: "How are you?")])
        return planner
    }

    package static let messages = Configuration.Messages(
        digestAfter: 3,
        digestTitle: "New",
        digestBody: "{count} came."
    )

    package static func at(_ text: String) -> Instant { Instant(rfc3339: text) ?? Instant(seconds: 0) }

    package static func date(_ text: String) -> LocalDate { LocalDate(iso: text) ?? LocalDate(days: 0) }

    package static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    package static func device(_ number: Int, registered: String = "2026-01-01T00:00:00Z") -> Device {
        Device(token: token(number), registeredAt: at(registered))
    }

    package static func user(
        id: UUID = userID,
        since: Instant? = nil,
        fingerprint: Int64? = nil,
        evaluatedAt: Instant? = nil,
        history: History = History(),
        quarantine: String? = nil,
        preferences: String? = daily,
        timezone: String? = nil,
        firstSessionComplete: Bool = true,
        devices: [Device] = [device(1)],
        messages: [PendingMessage] = [],
        hasMoreMessages: Bool = false,
        reminders: [PendingReminder] = []
    ) -> ClaimedUser {
        ClaimedUser(
            ClaimedUser.Values(
                userID: id,
                version: 1,
                dueAt: 0,
                since: since,
                evaluatedAt: evaluatedAt,
                state: UserState(fingerprint: fingerprint, history: history),
                quarantine: quarantine,
                preferences: preferences,
                timezone: timezone,
                firstSessionComplete: firstSessionComplete,
                devices: devices,
                messages: messages,
                hasMoreMessages: hasMoreMessages,
                reminders: PendingReminders(all: reminders)
            )
        )
    }

    /// What is recorded if the daemon dies with the intent of these nudges open, as recovery reads it.
    package static func recovered(_ sendPlan: SendPlan, by planner: Planner, now: Instant) -> Change {
        let announced = planner.announced(sendPlan, attemptedAt: now)
        let read = Change(
            userID: sendPlan.userID,
            turn: sendPlan.row.turn,
            content: announced.content,
            attemptedAt: now.seconds * 1_000_000,
            reason: "daemon_lost"
        )
        return read ?? announced
    }
}

extension Plan {
    package var sendPlan: SendPlan? { if case .send(let sendPlan, _) = self { sendPlan } else { nil } }
    package var rest: Change? { if case .nothing(let rest, _, _) = self { rest } else { nil } }
    package var reason: Reason? { if case .nothing(_, let reason, _) = self { reason } else { nil } }

    /// The rows that end.
    package var ended: [UUID] {
        switch self {
        case .nothing(let rest, _, _): rest.ended
        case .send(let sendPlan, _): sendPlan.ended.compactMap { UUID(uuidString: $0.key) }
        case .unreadable: []
        }
    }
}

/// A plan of one nudge.
extension SendPlan {
    package var targets: [PlannedNudge.Target] { nudges.flatMap(\.targets) }
    package var slot: LocalDate? { nudges.first?.identity.slot }
    package var key: String { nudges.first?.identity.key ?? "" }

    /// Takes what fits, as the dispatcher of a lane does.
    package static func take(upTo limit: Int, from pending: inout ArraySlice<SendPlan>) -> [SendPlan] {
        let (whole, split) = fit(pending, upTo: limit)
        let taken = Array(pending.prefix(whole)) + [split].compactMap(\.self)
        pending.removeFirst(taken.count)
        return taken
    }
}
