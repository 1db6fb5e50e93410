import Service
import JSON
import Core
package import Systemd

/// The result of `nudged resume`.
package struct ResumeReport: Sendable {
    let resumed: [Pause]
    let result: UserWalk.Result

    /// `interrupted` if a signal came before all users were due.
    package var status: ExitStatus { result.isInterrupted ? .interrupted : .success }

    /// Lines without a newline at the end.
    package var text: String {
        guard !resumed.isEmpty else { return "nothing was paused" }
        let kinds = resumed.map(\.kind.rawValue).joined(separator: ", ")
        let users = Elapsed.counted(result.woken, "user was", "users were")
        let due = "resumed \(kinds): \(users) evaluated during the pause and will be evaluated again"
        guard result.isInterrupted else { return due }
        return "\(due); interrupted: run nudged resume again for the others (otherwise they follow within a day)"
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
