import Service
import JSON
package import Systemd

/// The result of `nudged replan`.
package struct ReplanReport: Sendable {
    let result: UserWalk.Result
    /// Users whom nudged had not seen before.
    let adopted: Int

    /// `interrupted` if a signal came before all users were due.
    package var status: ExitStatus { result.isInterrupted ? .interrupted : .success }

    /// One line, or two.
    package var text: String {
        guard adopted > 0 else { return summary }
        return summary
            + "\n\(Elapsed.counted(adopted, "user is new to nudged and follows", "users are new to nudged and follow"))"
    }

    private var summary: String {
        let users = Elapsed.counted(result.users, "user", "users")
        let due = "\(Elapsed.grouped(result.woken)) of \(users) \(result.woken == 1 ? "was" : "were") made due"
        if result.isInterrupted { return "interrupted: \(due); run nudged replan again for the others" }
        return result.woken == result.users ? due : "\(due), the others were due already"
    }

    /// `{"users", "made_due", "new", "interrupted"}`.
    package var json: String {
        var json = JSONWriter()
        json.beginObject()
        for (name, count) in [("users", result.users), ("made_due", result.woken), ("new", adopted)] {
            json.key(name)
            json.int(count)
        }
        json.key("interrupted")
        json.bool(result.isInterrupted)
        json.endObject()
        return json.string
    }
}
