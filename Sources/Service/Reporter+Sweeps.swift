import Base
import Core
import Glibc
import Policy
import Systemd
import TimeZones

import struct FoundationEssentials.UUID

extension Reporter {
    func sweep(_ event: SweepEvent) {
        switch event {
        case .finished(let id, let report): finished(id, report)
        case .noticed(let found): found.forEach(notice)
        case .zonesUnread(let error, let users): zonesUnread(error, users: users)
        case .rejected(let user, let device, let reason, let status): rejected(user, device, reason, status)
        case .unknown(let user, let kind, let device, let reason): unknown(user, kind, device, reason)
        case .quarantined(let device): quarantined(device)
        case .moved(let device): moved(device)
        case .statementFailed(let error): statementFailed(error.description)
        case .settlementFailed(let error): statementFailed(error)
        case .fanOutFailed(let reminder, let error): fanOutFailed(reminder, error)
        case .recovered(let pushes):
            let count = Elapsed.counted(pushes, "push in flight is", "pushes in flight are")
            let next = "check-ins are not sent again, messages and reminders are sent once more"
            say(.intentsRecovered, "a daemon died: \(count) recorded as unknown; \(next)", ["unknown": "\(pushes)"])
        case .fenced(let pushes):
            let late = "\(Elapsed.counted(pushes, "outcome", "outcomes")) came after the lease had ended"
            let text = "\(late): another daemon has recorded \(pushes == 1 ? "it" : "them") as unknown"
            say(.leaseLost, text, ["unknown": "\(pushes)"])
        case .ownership(let ranges, let members):
            let text = "this daemon owns \(ranges) of the 64 ranges of users; daemons that share the work: \(members)"
            say(.rangesOwned, text, ["ranges": "\(ranges)", "members": "\(members)"])
        case .membershipEnded:
            let text = "this daemon's lease has ended, and other daemons may serve its users; it joins again"
            say(.leaseLost, text, ["unknown": "0"])
        case .membersDeclaredDead(let count):
            let dead = Elapsed.counted(count, "daemon was", "daemons were")
            let why = "the lease ended without a renewal; other daemons serve the users"
            say(.daemonsDead, "\(dead) declared dead: \(why)", ["members": "\(count)"])
        case .paused(let kinds, let before): paused(kinds, before: before)
        case .progress: break
        }
    }

    private func rejected(_ id: UUID, _ device: String, _ reason: String, _ status: Int?) {
        let (user, said) = (Self.name(id), status.map(String.init) ?? "none")
        let fields = ["user_id": user, "device": self.device(device), "reason": reason, "status": said]
        switch reason {
        case "invalid_token":
            say(.invalidToken, "a device token of user \(user) is not hexadecimal: check what the app stores", fields)
        case "payload_too_large":
            let fix = "shorten the template, or the text that the app gives nudged_api.send"
            say(.payloadTooLarge, "a payload for user \(user) is over Apple's limit of 4,096 bytes: \(fix)", fields)
        default: say(.pushRejected, about: reason, "Apple refused a push to user \(user): \(reason)", fields)
        }
    }

    private func unknown(_ id: UUID, _ kind: String, _ device: String, _ reason: String) {
        let user = Self.name(id)
        let isOver = kind == NudgeKind.checkIn.rawValue
        let next = isOver ? "it is not sent again" : "it is sent once more, unless it was already repeated"
        let name = isOver ? "check-in" : kind
        let text = "a \(name) to user \(user) was written, but no answer came (\(reason)); \(next)"
        let fields = ["user_id": user, "kind": kind, "device": self.device(device), "reason": reason]
        say(.pushUnknown, about: reason, text, fields)
    }

    /// Names the subject, but not the author or the text.
    private func fanOutFailed(_ reminder: PendingReminder, _ error: String) {
        let subject = "\(reminder.subjectType.printable) \(reminder.subjectID.printable)"
        let text = "the fan-out of the reminder about \(subject) failed, and nudged tries it again later: \(error)"
        let (id, type) = (Self.name(reminder.reminderID), reminder.subjectType)
        let fields = ["reminder_id": id, "subject_type": type, "subject_id": reminder.subjectID]
        say(.fanOutFailed, about: type, text, fields)
    }

    private func quarantined(_ refused: EnvironmentNote) {
        let (user, reason, topic) = (Self.name(refused.userID), refused.reason, refused.topic)
        let what = "Apple refuses a device of user \(user) for \(topic) (\(refused.environment)): \(reason)"
        let (name, environment) = (device(refused.deviceHash), refused.environment)
        let fields = ["user_id": user, "device": name, "reason": reason, "topic": topic, "environment": environment]
        let next = "nothing is sent to it there until it registers again"
        say(.deviceQuarantined, about: reason, "\(what); \(next)", fields)
    }

    private func moved(_ note: EnvironmentNote) {
        guard let environment = note.newEnvironment else { return }
        let user = Self.name(note.userID)
        let what = "a device of user \(user) for \(note.topic) works in \(environment), not in \(note.environment)"
        let device = device(note.deviceHash)
        let fields = ["user_id": user, "device": device, "topic": note.topic, "environment": environment]
        say(.deviceMoved, about: environment, "\(what): its pushes go there from now on", fields)
    }

    /// As PostgreSQL writes it, to paste it into a query.
    static func name(_ id: UUID) -> String { id.uuidString.lowercased() }

    // MARK: What is wrong with a user's data

    private func notice(_ notice: Notice) {
        let isNew = noticed.withLock { values in
            if values.count >= 100_000 { values.removeAll() }
            return values.insert(notice.value).inserted
        }
        guard isNew else { return }
        switch notice {
        case .refused(let refusal):
            let (user, column) = (refusal.userID, refusal.column)
            let next =
                refusal.error == Refusal.newer
                ? "upgrade nudged on this machine; until then this daemon evaluates the user again every one to two minutes"
                : "nudged evaluates the user again when the data changes, at the latest in a day"
            let what = "\(column ?? "one of the user's values") can't be read or written (\(refusal.error))"
            let text = "user \(Self.name(user)) is set aside: \(what); \(next)"
            say(.rowUnreadable, text, ["user_id": Self.name(user), "column": column ?? "unknown"])
        case .preferencesMalformed(let user, _, let why):
            let what = "the preferences of user \(Self.name(user)) are malformed (\(why))"
            let end = "users with this value get no check-ins until it is corrected"
            say(.preferencesMalformed, of: user, "\(what): \(end)")
        case .timezoneInvalid(let user, _):
            let what = "user \(Self.name(user)) has a time zone that the system doesn't know"
            say(.timezoneInvalid, of: user, "\(what); nudged uses the profile's time zone or the default one")
        case .reminderZoneUnknown(let user, _):
            let what = "a reminder for user \(Self.name(user)) names a time zone that this host doesn't know"
            let end = "tzdata is upgraded and nudged reloaded, or until the app sets it again with another zone"
            say(.timezoneInvalid, of: user, "\(what): it waits until \(end)")
        case .historyAhead(let user):
            let what = "the history of user \(Self.name(user)) has sends more than 48 h ahead of the clock"
            say(.historyAhead, of: user, "\(what), which are ignored: check whether a host ran with a wrong clock")
        case .deviceNotServed(let user, let environment, let topic):
            let said = [environment, topic].map {
                $0.map { "\"\($0.prefix(64).filter { $0.isASCII && !$0.isNewline })\"" } ?? "null"
            }
            let text =
                "nothing is sent to a device of user \(Self.name(user)): the configuration has no app with "
                + "environment \(said[0]) and topic \(said[1]); add the app under apns.apps, or correct the token's row"
            say(.deviceNotServed, of: user, text)
        }
    }

    private func say(_ event: Event, of user: UUID, _ text: String) { say(event, text, ["user_id": Self.name(user)]) }

    // MARK: Time zones

    /// Reports a failed or empty reading of the zone files. Without zones nobody gets anything.
    func zonesAre(_ reading: ZoneDatabase.Reading, in directory: String) {
        if let first = reading.failures.first {
            let count = reading.failures.count
            let files = Elapsed.counted(count, "time-zone file or folder", "time-zone files or folders")
            let text =
                "\(files) can't be read (\(first.cause)): zones that were read before stay in use, users of other zones "
                + "wait; \(Self.remedy(first)), and reload nudged"
            let fields = ["unread": "\(count)", "errno": first.number.map(String.init) ?? "none"]
            say(.timezoneUnreadable, about: "files", text, fields)
        } else if reading.count == 0 {
            let fix = "install tzdata (apt-get install tzdata) or correct TZDIR, and reload nudged"
            say(.timezonesMissing, "there are no time-zone files in \(directory): \(fix)")
        }
    }

    /// Called for each batch. The event's definition limits the lines.
    private func zonesUnread(_ error: TimeZoneError, users: Int) {
        let kind = error.number.map(String.init) ?? "none"
        let who = "\(Elapsed.counted(users, "user waits", "users wait")) and will be evaluated again within a minute"
        let text = "a time-zone file can't be read (\(error.cause)): \(who); \(Self.remedy(error))"
        say(.timezoneUnreadable, about: kind, text, ["users": "\(users)", "errno": kind])
    }

    private static func remedy(_ error: TimeZoneError) -> String {
        switch error.number {
        case EMFILE: "raise LimitNOFILE in the unit"
        case ENFILE: "raise fs.file-max"
        case EACCES, EPERM: "let the daemon's user read it"
        case ENOMEM: "give the machine more memory"
        default: "check the disk, or reinstall tzdata"
        }
    }

    // MARK: Pauses

    private func paused(_ kinds: Set<NudgeKind>, before: Set<NudgeKind>) {
        func text(_ kinds: Set<NudgeKind>) -> String { kinds.map(\.rawValue).sorted().joined(separator: ", ") }
        let (held, freed) = (text(kinds.subtracting(before)), text(before.subtracting(kinds)))
        if !held.isEmpty {
            let what = "paused: \(held); nothing of these kinds is sent until nudged resume"
            say(.kindsPaused, what, ["kinds": held])
        }
        if !freed.isEmpty { say(.kindsResumed, "resumed: \(freed)", ["kinds": freed]) }
    }
}
