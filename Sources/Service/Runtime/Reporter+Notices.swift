import Planning
import Logging
import Systemd

extension Reporter {
    /// Said once per value.
    func notice(_ notice: Notice) {
        guard notices.isNew(notice.value) else { return }
        switch notice {
        case .rowUnreadable(let id, let column, let error):
            let user = Self.name(id)
            let what = column ?? "a value of theirs"
            say(
                .rowUnreadable,
                "user \(user) is set aside: \(what) can't be read or written (\(error)); they are evaluated again in a day, or when their data changes",
                ["user_id": "\(user)", "column": "\(column ?? "unknown")"]
            )
        case .preferencesMalformed(let id, _, let why):
            let user = Self.name(id)
            say(
                .preferencesMalformed,
                "the preferences of user \(user) are malformed (\(why)): no check-ins for whoever has this value until it is mended",
                ["user_id": "\(user)"]
            )
        case .timezoneInvalid(let id, _):
            let user = Self.name(id)
            say(
                .timezoneInvalid,
                "user \(user) names a time zone that the system doesn't know; the profile's or the default one is used",
                ["user_id": "\(user)"]
            )
        case .historyAhead(let id):
            let user = Self.name(id)
            say(
                .historyAhead,
                "the history of user \(user) lies more than 48 h ahead and is ignored: did a host run with a wrong clock?",
                ["user_id": "\(user)"]
            )
        case .deviceNotServed(let id, let environment, let topic):
            let user = Self.name(id)
            let said = [environment, topic].map {
                $0.map { "\"\($0.prefix(64).filter { $0.isASCII && !$0.isNewline })\"" } ?? "null"
            }
            say(
                .deviceNotServed,
                "user \(user) has a device of environment \(said[0]) and topic \(said[1]), for which the configuration has no app: "
                    + "not served; add it under apns.apps, or mend the token's row",
                ["user_id": "\(user)"]
            )
        }
    }
}
