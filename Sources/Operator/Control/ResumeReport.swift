import Service
import JSON
import Store
package import Systemd

/// What `nudged resume` did.
package struct ResumeReport: Sendable {
    let resumed: [Pause]
    let result: UserWalk.Result

    /// `interrupted` where a signal came before everyone was due.
    package var status: ExitStatus { result.isInterrupted ? .interrupted : .success }

    /// Lines without a newline at the end.
    package var words: String {
        guard !resumed.isEmpty else { return "nothing was paused" }
        let kinds = resumed.map(\.kind.rawValue).joined(separator: ", ")
        let due = "\(Elapsed.grouped(result.woken)) users who were asked meanwhile are asked again"
        return result.isInterrupted
            ? "resumed \(kinds): \(due); interrupted before all were: run nudged resume again (who is left is asked within a day)"
            : "resumed \(kinds): \(due)"
    }

    /// `{"resumed": [kind], "users", "interrupted"}`.
    package var json: String {
        var json = JSONWriter()
        json.beginObject()
        json.key("resumed")
        json.beginArray()
        for pause in resumed { json.string(pause.kind.rawValue) }
        json.endArray()
        json.key("users")
        json.int(result.woken)
        json.key("interrupted")
        json.bool(result.isInterrupted)
        json.endObject()
        return json.string
    }
}
