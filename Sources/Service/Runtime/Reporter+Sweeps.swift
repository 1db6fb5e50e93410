import Core
import Logging
import Policy
import Base

import struct FoundationEssentials.UUID

extension Reporter {
    func sweep(_ event: SweepEvent) {
        switch event {
        case .finished(let id, let report): finished(id, report)
        case .recovered(let pushes):
            say(
                .intentsRecovered,
                "a daemon died: \(Elapsed.counted(pushes, "push in flight is", "pushes in flight are")) "
                    + "recorded as unknown; check-ins are not sent again, messages and reminders are sent once more",
                ["unknown": "\(pushes)"]
            )
        case .noticed(let found): found.forEach(notice)
        case .zonesUnread(let error, let users): zonesUnread(error, users: users)
        case .rejected(let user, let device, let reason, let status):
            rejected(Self.name(user), device, reason, status)
        case .unknown(let user, let kind, let device, let reason): unknown(Self.name(user), kind, device, reason)
        case .quarantined(let device): quarantined(device)
        case .moved(let device): moved(device)
        case .statementFailed(let error): statementFailed(error.description)
        case .settlementFailed(let error): statementFailed(error)
        case .fanOutFailed(let reminder, let error): fanOutFailed(reminder, error)
        case .fenced(let pushes):
            say(
                .leaseLost,
                "\(Elapsed.counted(pushes, "outcome", "outcomes")) came after the lease had ended: "
                    + "another daemon has recorded \(pushes == 1 ? "it" : "them") as unknown",
                ["unknown": "\(pushes)"]
            )
        case .ownership(let ranges, let members):
            say(
                .rangesOwned,
                "this daemon owns \(ranges) of the 64 ranges of users; daemons that share the work: \(members)",
                ["ranges": "\(ranges)", "members": "\(members)"]
            )
        case .membershipEnded:
            say(
                .leaseLost,
                "this daemon's lease has ended, and other daemons may serve its users; it joins again",
                ["unknown": "0"]
            )
        case .membersDeclaredDead(let count):
            say(
                .daemonsDead,
                "\(Elapsed.counted(count, "daemon was", "daemons were")) declared dead: "
                    + "the lease ended without a renewal; other daemons serve the users",
                ["members": "\(count)"]
            )
        case .paused(let kinds, let before): paused(kinds, before: before)
        case .progress: break
        }
    }

    private func rejected(_ user: String, _ device: String, _ reason: String, _ status: Int?) {
        let fields: Logger.Metadata = [
            "user_id": "\(user)", "device": "\(self.device(device))", "reason": "\(reason)",
            "status": "\(status.map(String.init) ?? "none")",
        ]
        switch reason {
        case "invalid_token":
            say(.invalidToken, "a device token of user \(user) is not hexadecimal: check what the app stores", fields)
        case "payload_too_large":
            say(
                .payloadTooLarge,
                "a payload for user \(user) is over Apple's limit of 4,096 bytes: "
                    + "shorten checkIn.title or checkIn.body, or the text that the app gives nudged_api.send",
                fields
            )
        default:
            say(.pushRejected, about: reason, "Apple refused a push to user \(user): \(reason)", fields)
        }
    }

    private func unknown(_ user: String, _ kind: String, _ device: String, _ reason: String) {
        let name = NudgeKind(rawValue: kind).map(Self.singular) ?? kind
        let what =
            kind == NudgeKind.checkIn.rawValue
            ? "it is not sent again" : "it is sent once more, unless it was already repeated"
        say(
            .pushUnknown,
            about: reason,
            "a \(name) to user \(user) was written, but no answer came (\(reason)); \(what)",
            ["user_id": "\(user)", "kind": "\(kind)", "device": "\(self.device(device))", "reason": "\(reason)"]
        )
    }

    private static func singular(_ kind: NudgeKind) -> String {
        switch kind {
        case .checkIn: "check-in"
        case .message: "message"
        case .reminder: "reminder"
        }
    }

    /// Names the subject, but not the author or the text.
    private func fanOutFailed(_ reminder: PendingReminder, _ error: String) {
        say(
            .fanOutFailed,
            about: reminder.subjectType,
            "the fan-out of the reminder about \(reminder.subjectType.printable) \(reminder.subjectID.printable) "
                + "failed, and nudged tries it again later: \(error)",
            [
                "reminder_id": "\(Self.name(reminder.reminderID))", "subject_type": "\(reminder.subjectType)",
                "subject_id": "\(reminder.subjectID)",
            ]
        )
    }

    private func quarantined(_ refused: RefusedDevice) {
        let user = Self.name(refused.userID)
        say(
            .deviceQuarantined,
            about: refused.reason,
            "Apple refuses a device of user \(user) for \(refused.topic) (\(refused.environment)): \(refused.reason); "
                + "nothing is sent to it there until it registers again",
            [
                "user_id": "\(user)", "device": "\(device(refused.deviceHash))", "reason": "\(refused.reason)",
                "topic": "\(refused.topic)", "environment": "\(refused.environment)",
            ]
        )
    }

    private func moved(_ note: EnvironmentNote) {
        guard let environment = note.newEnvironment else { return }
        let user = Self.name(note.userID)
        say(
            .deviceMoved,
            about: environment,
            "a device of user \(user) for \(note.topic) works in \(environment), not in \(note.environment): "
                + "its pushes go there from now on",
            [
                "user_id": "\(user)", "device": "\(device(note.deviceHash))", "topic": "\(note.topic)",
                "environment": "\(environment)",
            ]
        )
    }

    /// As PostgreSQL writes it, to paste it into a query.
    static func name(_ id: UUID) -> String { id.uuidString.lowercased() }
}
