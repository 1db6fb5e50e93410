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
}

package enum AnswerAction: Sendable, Equatable {
    case accepted
    /// The device is gone. Delete the token if it was registered before `timestamp` (milliseconds since 1970). Without
    /// a timestamp, if it was registered before the push was sent.
    case deleteToken(timestamp: Int64?)
    /// The token doesn't fit this environment or topic. Never deleted: `RefusalWindow` blames its device or the lane.
    case quarantine
    /// Only a bug in nudged can cause this: reject the push, log an error.
    case ourBug
    /// Apple refuses the configuration: stop the lane, keep the work.
    case stopLane(remedy: String)
    /// The provider token is too old: send again with a new token on a new connection.
    case refreshToken
    /// Send again on a new connection, with the same token.
    case newConnection
    /// Rest this connection for 20 minutes and sign no new token.
    case restConnection
    case delayDevice(retryAfter: Int?)
    /// The connection was idle too long: send again on a new one.
    case reconnect
    /// Apple has trouble: send later. `drains`: this connection ends as well.
    case backOff(retryAfter: Int?, drains: Bool)
    /// The nudge is wrong (PayloadTooLarge), or the answer is below 500 and unknown: reject this push, do nothing else.
    case reject
}

extension Answer {
    /// Reads an answer. A body that is not `{"reason": string, "timestamp"?: whole number over 0}` is ignored, so a
    /// damaged body never deletes a token or stops a lane.
    /// `isTruncated`: whether bytes of the body are missing. `retryAfter`: the header's text.
    package init(status: Int, body: [UInt8], isTruncated: Bool = false, retryAfter: String? = nil) {
        self.status = status
        // A date would need the server's clock. Apple sends numbers.
        self.retryAfter = retryAfter.flatMap { Int($0) }.flatMap { $0 >= 0 ? min($0, 86_400 * 7) : nil }
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

    /// The name for the log and the record.
    var name: String { reason ?? "status_\(status)" }

    /// What to do after this answer. Status and reason must match: a known reason with another status counts as
    /// unknown. An unknown answer is handled by its status class, so it never deletes a token or stops a lane.
    package var action: AnswerAction {
        switch (status, reason) {
        case (200, _): .accepted
        case (410, "Unregistered"?), (410, "ExpiredToken"?): .deleteToken(timestamp: timestamp)
        case (400, "BadDeviceToken"?), (400, "DeviceTokenNotForTopic"?): .quarantine
        case (400, "IdleTimeout"?): .reconnect
        case (403, "ExpiredProviderToken"?): .refreshToken
        case (403, "UnrelatedKeyIdInToken"?): .newConnection
        case (429, "TooManyProviderTokenUpdates"?): .restConnection
        case (429, "TooManyRequests"?): .delayDevice(retryAfter: retryAfter)
        case (400, "DuplicateHeaders"?), (400, "MissingTopic"?), (404, "BadPath"?), (405, "MethodNotAllowed"?): .ourBug
        // Apple doesn't document BadEnvironmentKeyInToken, but sends it.
        case (400, "BadTopic"?), (400, "TopicDisallowed"?), (403, "BadCertificate"?),
            (403, "BadCertificateEnvironment"?), (403, "Forbidden"?), (403, "InvalidProviderToken"?),
            (403, "MissingProviderToken"?), (403, "BadEnvironmentKeyIdInToken"?), (403, "BadEnvironmentKeyInToken"?):
            .stopLane(remedy: Self.remedy(for: name))
        case (500..., _): .backOff(retryAfter: retryAfter, drains: status == 503 && reason == "Shutdown")
        default: .reject
        }
    }

    static func remedy(for reason: String) -> String {
        switch reason {
        case "BadTopic", "TopicDisallowed":
            "set apns.bundleId to the app's bundle id, and use a key that may send for it"
        case "BadDeviceToken", "DeviceTokenNotForTopic":
            "most device tokens are refused, so the configuration is wrong (no device is quarantined): "
                + "check apns.environment and apns.bundleId against the app's build; "
                + "builds from Xcode have sandbox tokens, "
                + "builds from TestFlight and the App Store have production tokens"
        case "InvalidProviderToken":
            "check that apns.keyId and apns.teamId belong to the key in apns.privateKey, that the key was not "
                + "revoked, and that this machine's clock is right"
        case "BadEnvironmentKeyIdInToken", "BadEnvironmentKeyInToken":
            "the key is not for this environment: change apns.environment, or use a key for this environment"
        case "BadCertificateEnvironment": "change apns.environment: the credential is for the other environment"
        case "ExpiredProviderToken":
            "even a new provider token counts as expired: correct this machine's clock (timedatectl)"
        case "UnrelatedKeyIdInToken":
            "use one key for this topic: apns.keyId belongs to another team than the key of earlier pushes"
        default: "check apns.teamId, apns.keyId and apns.privateKey against the key in Apple's developer account"
        }
    }
}
