package import Policy
package import Store
package import TimeZones

package import struct FoundationEssentials.UUID

package import Configuration
package import Planning

/// A judge of the default rules, and users as a claim would bring them.
package enum JudgeFixture {
    package static let lane = LaneIdentity(environment: "sandbox", topic: "com.example.app")
    package static let zones = ZoneDatabase()
    package static let userID = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    package static let daily =
        #"{"check_ins_enabled":true,"frequency":"daily","timezone":"Asia/Tokyo","check_in_time":"10:00"}"#

    package static func judge(_ rules: Rules = .defaults) -> Judge {
        Judge(policy: Policy(rules: rules, zones: zones), lanes: LaneDirectory(standard: lane), messages: messages)
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
        version: Int64 = 1,
        touchedAt: Instant? = nil,
        since: Instant? = nil,
        fingerprint: Int64? = nil,
        askedAt: Instant? = nil,
        history: History = History(),
        retry: Retry? = nil,
        quarantine: String? = nil,
        template: Int32? = nil,
        preferences: String? = daily,
        timezone: String? = nil,
        firstSessionComplete: Bool = true,
        context: String? = nil,
        devices: [Device] = [device(1)],
        messages: [PendingMessage] = [],
        hasMoreMessages: Bool = false,
        reminders: [PendingReminder] = []
    ) -> ClaimedUser {
        ClaimedUser(
            userID: id,
            version: version,
            dueAt: 0,
            touchedAt: touchedAt,
            since: since,
            fingerprint: fingerprint,
            askedAt: askedAt,
            history: history,
            retry: retry.flatMap { Retry.json([$0]) },
            quarantine: quarantine,
            template: template,
            preferences: preferences,
            timezone: timezone,
            firstSessionComplete: firstSessionComplete,
            context: context,
            devices: devices,
            messages: messages,
            hasMoreMessages: hasMoreMessages,
            reminders: PendingReminders(reminders)
        )
    }

    /// What a user's row is once the daemon died with the intent of this nudge open: as recover.sql makes it.
    package static func recovered(_ turn: PlannedTurn, by judge: Judge, now: Instant) -> PersonUpdate {
        var history = turn.candidate.history
        for nudge in turn.nudges { history = history.adding(nudge.identity, at: nudge.countedAt ?? now) }
        return PersonUpdate(
            userID: turn.userID,
            version: turn.version,
            dueAt: now,
            askedAt: now,
            since: turn.candidate.since,
            fingerprint: turn.fingerprint,
            history: history,
            retry: judge.entry(turn, attemptedAt: now).retry
        )
    }
}

extension Judgement {
    package var turn: PlannedTurn? {
        if case .send(let turn) = verdict { return turn }
        return nil
    }

    package var rest: PersonUpdate? {
        if case .rest(let rest) = verdict { return rest.update }
        return nil
    }

    package var reason: Reason? {
        if case .rest(let rest) = verdict { return rest.reason }
        return nil
    }

    package var ended: [NudgeIdentity] {
        switch verdict {
        case .rest(let rest): rest.ended
        case .send(let turn): turn.ended
        case .ask: []
        }
    }
}

/// A turn of one nudge.
extension PlannedTurn {
    package var targets: [PlannedNudge.Target] { nudges.flatMap(\.targets) }
    package var waiting: [Retry.Left] { nudges.flatMap(\.waiting) }
    package var slot: LocalDate? { nudges.first?.identity.slot }
    package var key: String { nudges.first?.identity.key ?? "" }
    package var validUntil: Instant? { nudges.first?.validUntil }
    package var attempt: Int? { nudges.first?.attemptsBefore }
    package var countedAt: Instant? { nudges.first?.countedAt }

    package func part(preferring isPreferred: (LaneIdentity) -> Bool) -> (lane: LaneIdentity, part: PlannedTurn)? {
        lane(preferring: isPreferred).map { ($0, part(for: $0)) }
    }
}
