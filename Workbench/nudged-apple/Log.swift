import APNsSimulator
import Base
import Glibc
import JSON

/// What the simulated Apple prints of each push. No token is shown whole.
enum Log {
    static func readable(_ answer: AnsweredRequest, _ push: AcceptedPush?) {
        let status = answer.status == 0 ? "no answer" : "\(answer.status) \(answer.reason)"
        let padded = status + String(repeating: " ", count: max(0, 20 - status.count))
        var parts = [time("%H:%M:%S"), padded, shown(answer.token)]
        if let push { parts += [push.topic, text(push)] }
        write(parts.joined(separator: "  ").printable)
    }

    static func json(_ answer: AnsweredRequest, _ push: AcceptedPush?) {
        let answered: Fields = [
            "time": time("%Y-%m-%dT%H:%M:%SZ"), "token": shown(answer.token), "reason": answer.reason,
            "status": answer.status,
        ]
        let sent = push.map { push -> Fields in
            [
                "topic": push.topic, "push_type": push.pushType, "apns_id": push.apnsID.uuidString.lowercased(),
                "collapse_id": push.collapseID, "priority": push.priority, "expiration": push.expiration,
                "payload": try? JSONValue(parsing: push.payload),
            ]
        }
        write((answered + (sent ?? [:])).document.printableJSON)
    }

    static func write(_ line: String) {
        // If nobody reads the output, the simulator goes on.
        _ = writeAll(Array("\(line)\n".utf8), to: STDOUT_FILENO)
    }

    /// At most half of the token.
    private static func shown(_ token: String) -> String { "\(token.prefix(min(8, token.count / 2)))…" }

    private static func text(_ push: AcceptedPush) -> String {
        switch (try? JSONValue(parsing: push.payload))?["aps"]?["alert"] {
        case .string(let text): text
        case .object(let alert): ["title", "body"].compactMap { alert[$0]?.text }.joined(separator: ": ")
        default: "(\(push.pushType), no text)"
        }
    }

    private static func time(_ format: String) -> String { utcText(format, at: WallTime.milliseconds() / 1000) }
}
