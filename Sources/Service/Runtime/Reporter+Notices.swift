import Core
import Logging
import Systemd

extension Reporter {
    /// Reports each value once.
    func notice(_ notice: Notice) {
        guard notices.isNew(notice.value) else { return }
        switch notice {
        case .rowUnreadable(let id, let column, let error):
            let user = Self.name(id)
            let what = column ?? "one of the user's values"
            say(
                .rowUnreadable,
                "user \(user) is set aside: \(what) can't be read or written (\(error)); "
                    + "nudged evaluates the user again when the data changes, at the latest in a day",
                ["user_id": "\(user)", "column": "\(column ?? "unknown")"]
            )
        case .preferencesMalformed(let id, _, let why):
            let user = Self.name(id)
            say(
                .preferencesMalformed,
                "the preferences of user \(user) are malformed (\(why)): "
                    + "users with this value get no check-ins until it is corrected",
                ["user_id": "\(user)"]
            )
        case .timezoneInvalid(let id, _):
            let user = Self.name(id)
            say(
                .timezoneInvalid,
                "user \(user) has a time zone that the system doesn't know; "
                    + "nudged uses the profile's time zone or the default one",
                ["user_id": "\(user)"]
            )
        case .reminderZoneUnknown(let id, _):
            let user = Self.name(id)
            say(
                .timezoneInvalid,
                "a reminder for user \(user) names a time zone that this host doesn't know: it waits until tzdata is "
                    + "upgraded and nudged reloaded, or until the app sets it again with another zone",
                ["user_id": "\(user)"]
            )
        case .historyAhead(let id):
            let user = Self.name(id)
            say(
                .historyAhead,
                "the history of user \(user) has sends more than 48 h ahead of the clock, which are ignored: "
                    + "check whether a host ran with a wrong clock",
                ["user_id": "\(user)"]
            )
        case .deviceNotServed(let id, let environment, let topic):
            let user = Self.name(id)
            let said = [environment, topic].map {
                $0.map { "\"\($0.prefix(64).filter { $0.isASCII && !$0.isNewline })\"" } ?? "null"
            }
            say(
                .deviceNotServed,
                "nothing is sent to a device of user \(user): the configuration has no app with "
                    + "environment \(said[0]) and topic \(said[1]); "
                    + "add the app under apns.apps, or correct the token's row",
                ["user_id": "\(user)"]
            )
        }
    }
}
