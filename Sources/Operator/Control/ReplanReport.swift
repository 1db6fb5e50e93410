import Service
import JSON
package import Systemd

/// The result of `nudged replan`.
package struct ReplanReport: Sendable {
    let result: UserWalk.Result
    /// Users who were not in nudged.person.
    let adopted: Int

    /// `interrupted` if a signal came before all users were due.
    package var status: ExitStatus { result.isInterrupted ? .interrupted : .success }

    /// One line, or two.
    package var text: String {
        guard adopted > 0 else { return summary }
        let one = "user that nudged had not seen was added"
        let many = "users that nudged had not seen were added"
        return "\(summary)\n\(Elapsed.counted(adopted, one, many))"
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
