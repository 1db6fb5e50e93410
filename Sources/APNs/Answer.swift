import JSON

/// Apple's answer to one push: the status and what its body says.
public struct Answer: Sendable, Equatable {
    /// The HTTP status.
    public var status: Int
    /// The member `reason`; nil where the body is no such JSON.
    public var reason: String?
    /// The member `timestamp` of a 410: milliseconds since 1970.
    public var timestamp: Int64?
    /// The header `Retry-After` in seconds, where it is a number.
    public var retryAfter: Int?

    /// An answer of known parts.
    public init(status: Int, reason: String? = nil, timestamp: Int64? = nil, retryAfter: Int? = nil) {
        self.status = status
        self.reason = reason
        self.timestamp = timestamp
        self.retryAfter = retryAfter
    }

    /// Reads an answer. A body that is not `{"reason": string, "timestamp"?: whole number over 0}` counts as none: a
    /// garbled word must never delete a token or stop a lane.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - body: As received; not looked at with 200.
    ///   - isTruncated: Whether the body goes on, beyond what was kept.
    ///   - retryAfter: The header's text.
    public init(status: Int, body: [UInt8], isTruncated: Bool = false, retryAfter: String? = nil) {
        self.status = status
        self.retryAfter = retryAfter.flatMap(Self.seconds)
        // The usual answer is 200 without a body: nothing is parsed for it.
        guard status != 200, !body.isEmpty, !isTruncated, body.count <= Self.mostBytes,
            let value = try? JSONValue(parsing: body), case .string(let reason)? = value["reason"],
            // It goes into the journal and the record: a plain word, or none.
            reason.utf8.count <= 64, reason.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return }
        switch value["timestamp"] {
        case nil: break
        case .int(let milliseconds)? where milliseconds > 0: timestamp = milliseconds
        // A timestamp of a wrong type says that this is not the body that we know.
        default: return
        }
        self.reason = reason
    }

    /// Apple's bodies are under 100 bytes.
    private static let mostBytes = 4_096

    /// The other form of Retry-After, a date, would need the server's clock; Apple sends numbers.
    private static func seconds(_ text: String) -> Int? {
        guard let seconds = Int(text), seconds >= 0 else { return nil }
        return min(seconds, 86_400 * 7)
    }

    /// What the log and the record call it.
    var name: String {
        reason ?? "status_\(status)"
    }
}
