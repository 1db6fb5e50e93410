import HTTP2
import JSON

/// Apple's answer to one push: the status, and the contents of the body.
package struct Answer: Sendable, Equatable {
    package var status: Int
    /// The member `reason`. Nil if the body isn't JSON with that member.
    package var reason: String?
    /// The member `timestamp` of a 410: milliseconds since 1970.
    package var timestamp: Int64?
    /// The header `Retry-After` in seconds, if it is a number.
    package var retryAfter: Int?

    package init(status: Int, reason: String? = nil, timestamp: Int64? = nil, retryAfter: Int? = nil) {
        self.status = status
        self.reason = reason
        self.timestamp = timestamp
        self.retryAfter = retryAfter
    }

    /// Reads an answer. A body that is not `{"reason": string, "timestamp"?: whole number over 0}` is ignored, so a
    /// damaged body never deletes a token or stops a lane.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - body: As received. Not read if the status is 200.
    ///   - isTruncated: Whether bytes of the body are missing.
    ///   - retryAfter: The text of the header `Retry-After`.
    package init(status: Int, body: [UInt8], isTruncated: Bool = false, retryAfter: String? = nil) {
        self.status = status
        self.retryAfter = retryAfter.flatMap(Self.seconds)
        // Most answers are 200 without a body, so nothing is parsed for them.
        guard status != 200, !body.isEmpty, !isTruncated, body.count <= Self.mostBytes,
            let value = try? JSONValue(parsing: body), let reason = Self.reason(in: value)
        else { return }
        switch value["timestamp"] {
        case nil: break
        case .int(let milliseconds)? where milliseconds > 0: timestamp = milliseconds
        // A timestamp of another type means that this is not the documented body.
        default: return
        }
        self.reason = reason
    }

    init(_ response: Response) {
        self.init(
            status: response.status,
            body: response.body,
            isTruncated: response.isTruncated,
            retryAfter: response.headers["retry-after"]
        )
    }

    /// The member `reason`. It goes into the journal and the record, so only short printable ASCII is accepted.
    static func reason(in value: JSONValue) -> String? {
        guard case .string(let reason)? = value["reason"], reason.utf8.count <= 64,
            reason.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        return reason
    }

    /// Apple's bodies are under 100 bytes.
    private static let mostBytes = 4_096

    /// Retry-After as a date would need the server's clock. Apple sends numbers.
    private static func seconds(_ text: String) -> Int? {
        guard let seconds = Int(text), seconds >= 0 else { return nil }
        return min(seconds, 86_400 * 7)
    }

    /// The name for the log and the record.
    var name: String {
        reason ?? "status_\(status)"
    }
}
