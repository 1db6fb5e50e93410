import JSON
import Policy
import Service
import Core
import Base

/// The result of `nudged pause`.
package struct PauseReport: Sendable {
    let pauses: [Pause]
    let new: Set<NudgeKind>

    /// One line for each kind.
    package var text: String {
        pauses.map { pause in
            let since = "since \(pause.since.rfc3339), by \(pause.byWhom.printable)"
            let why = pause.reason.map { ": \($0.printable)" } ?? ""
            return new.contains(pause.kind)
                ? "paused \(pause.kind.rawValue) (\(since))\(why); every daemon sees it within a second"
                : "\(pause.kind.rawValue) was paused already (\(since))\(why)"
        }
        .joined(separator: "\n")
    }

    /// `{"paused": [{"kind", "since", "by", "reason", "resumed_at", "new"}]}`.
    package var json: String {
        var json = JSONWriter()
        json.beginObject()
        json.key("paused")
        json.beginArray()
        for pause in pauses {
            pause.write(to: &json) {
                $0.key("new"); $0.bool(new.contains(pause.kind))
            }
        }
        json.endArray()
        json.endObject()
        return json.string
    }
}

extension Pause {
    /// `{"kind", "since", "by", "reason", "resumed_at"}` and what `adding` writes.
    func write(to json: inout JSONWriter, adding: (inout JSONWriter) -> Void = { _ in }) {
        json.beginObject()
        json.key("kind")
        json.string(kind.rawValue)
        json.key("since")
        json.string(since.rfc3339)
        json.key("by")
        json.string(byWhom)
        json.key("reason")
        json.string(reason)
        json.key("resumed_at")
        json.string(resumedAt?.rfc3339)
        adding(&json)
        json.endObject()
    }
}
