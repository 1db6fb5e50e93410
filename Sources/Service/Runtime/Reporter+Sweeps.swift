import Delivery
import Logging
import Policy
import Store
import Systemd

import struct FoundationEssentials.UUID

extension Reporter {
    func sweep(_ event: SweepEvent) {
        switch event {
        case .finished(let id, let report): finished(id, report)
        case .recovered(let pushes):
            say(
                .intentsRecovered,
                "a daemon ended without notice: what it was sending is recorded as unknown (\(pushes)); check-ins are not sent again, messages and reminders once",
                ["unknown": "\(pushes)"]
            )
        case .noticed(let found): found.forEach(notice)
        case .zonesUnread(let error, let users): zonesUnread(error, users: users)
        case .rejected(let user, let device, let reason, let status):
            rejected(Self.name(user), device, reason, status)
        case .unknown(let user, let kind, let device, let reason): unknown(Self.name(user), kind, device, reason)
        case .quarantined(let device): quarantined(device)
        case .settlementFailed(let error):
            say(
                .writeFailed,
                about: error,
                "could not write what is or was sent to the database, trying again: \(error)"
            )
        case .spreadFailed(let reminder, let error): spreadFailed(reminder, error)
        case .fenced(let pushes):
            say(
                .leaseLost,
                "\(pushes) outcomes came after the lease had ended, and another daemon has recorded them as unknown",
                ["unknown": "\(pushes)"]
            )
        case .ownership(let ranges, let members):
            say(
                .rangesOwned,
                "this daemon owns \(ranges) of 64 ranges of the users; daemons that share the work: \(members)",
                ["ranges": "\(ranges)", "members": "\(members)"]
            )
        case .membershipEnded:
            say(
                .leaseLost,
                "this daemon's lease had ended, and another daemon has taken its users; it joins again",
                ["unknown": "0"]
            )
        case .membersBuried(let count):
            say(
                .daemonsDead,
                "daemons whose lease ended without a renewal: \(count); their users are served by the others",
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
            say(.invalidToken, "a device token of user \(user) is no hexadecimal; check what the app stores", fields)
        case "payload_too_large":
            say(
                .payloadTooLarge,
                "the payload is over Apple's 4,096 bytes; shorten checkIn.title or checkIn.body",
                fields
            )
        default:
            say(.pushRejected, about: reason, "Apple refused a push to user \(user): \(reason)", fields)
        }
    }

    private func unknown(_ user: String, _ kind: String, _ device: String, _ reason: String) {
        let name = NudgeKind(rawValue: kind).map(Self.singular) ?? kind
        let what =
            kind == NudgeKind.checkIn.rawValue ? "it is not sent again" : "it is sent once more, unless this was that"
        say(
            .pushUnknown,
            about: reason,
            "a push to user \(user), a \(name), was written and not answered (\(reason)); \(what)",
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

    /// Its author and words stay out: what it is about says which one it is.
    private func spreadFailed(_ reminder: PendingReminder, _ error: String) {
        say(
            .spreadFailed,
            about: reminder.subjectType,
            "the reminder for everyone about \(reminder.subjectType.printable) \(reminder.subjectID.printable) could not be told to the next "
                + "members of its subject, and is left for a while: \(error)",
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
                + "nothing is sent to it there until it registers anew",
            [
                "user_id": "\(user)", "device": "\(device(refused.deviceHash))", "reason": "\(refused.reason)",
                "topic": "\(refused.topic)", "environment": "\(refused.environment)",
            ]
        )
    }

    /// As PostgreSQL writes it, so that it can be pasted into a query.
    static func name(_ id: UUID) -> String { id.uuidString.lowercased() }
}
