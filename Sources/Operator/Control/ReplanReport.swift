import Service
import JSON
package import Systemd

/// What `nudged replan` did.
package struct ReplanReport: Sendable {
    let result: UserWalk.Result

    /// `interrupted` where a signal came before everyone was due.
    package var status: ExitStatus { result.isInterrupted ? .interrupted : .success }

    /// In one line.
    package var words: String {
        let due = "\(Elapsed.grouped(result.woken)) of \(Elapsed.grouped(result.users)) users were made due"
        return result.isInterrupted
            ? "interrupted: \(due); run nudged replan again for the others" : "\(due), the others were already"
    }

    /// `{"users", "made_due", "interrupted"}`.
    package var json: String {
        var json = JSONWriter()
        json.beginObject()
        for (name, count) in [("users", result.users), ("made_due", result.woken)] {
            json.key(name)
            json.int(count)
        }
        json.key("interrupted")
        json.bool(result.isInterrupted)
        json.endObject()
        return json.string
    }
}
