/// What to do after an answer from Apple.
package enum AnswerAction: Sendable, Equatable {
    /// Apple accepted the push.
    case accepted
    /// The device is gone. Delete the token if it was registered before `timestamp` (milliseconds since 1970). Without
    /// a timestamp, if it was registered before the push was sent.
    case deleteToken(timestamp: Int64?)
    /// The token doesn't fit this environment or topic. It is never deleted. `RefusalWindow` decides whether its device
    /// is quarantined or the lane stops.
    case quarantine
    /// This nudge is wrong: reject it and go on.
    case rejectNudge
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
    /// Send to this device later.
    case delayDevice(retryAfter: Int?)
    /// The connection was idle too long: send again on a new one.
    case reconnect
    /// Apple has trouble: send later. `drains`: this connection ends as well.
    case backOff(retryAfter: Int?, drains: Bool)
    /// An unknown answer below 500: reject this push, do nothing else.
    case reject
}

extension Answer {
    /// What to do after this answer. Status and reason must match: a known reason with another status counts as
    /// unknown. An unknown answer is handled by its status class, so it never deletes a token or stops a lane.
    package var action: AnswerAction {
        switch (status, reason) {
        case (200, _):
            .accepted
        case (410, "Unregistered"?), (410, "ExpiredToken"?):
            .deleteToken(timestamp: timestamp)
        case (400, "BadDeviceToken"?), (400, "DeviceTokenNotForTopic"?):
            .quarantine
        case (400, "IdleTimeout"?):
            .reconnect
        case (403, "ExpiredProviderToken"?):
            .refreshToken
        case (403, "UnrelatedKeyIdInToken"?):
            .newConnection
        case (429, "TooManyProviderTokenUpdates"?):
            .restConnection
        case (429, "TooManyRequests"?):
            .delayDevice(retryAfter: retryAfter)
        case (400, let reason?) where Self.wrongNudge.contains(reason):
            .rejectNudge
        case (413, "PayloadTooLarge"?):
            .rejectNudge
        case (400, "DuplicateHeaders"?), (400, "MissingTopic"?), (404, "BadPath"?), (405, "MethodNotAllowed"?):
            .ourBug
        case (400, let reason?) where Self.refusedTopic.contains(reason):
            .stopLane(remedy: Self.remedy(for: reason))
        case (403, let reason?) where Self.refusedProvider.contains(reason):
            .stopLane(remedy: Self.remedy(for: reason))
        case (500..., _):
            .backOff(retryAfter: retryAfter, drains: status == 503 && reason == "Shutdown")
        default:
            .reject
        }
    }

    private static let wrongNudge: Set<String> = [
        "BadCollapseId", "BadExpirationDate", "BadMessageId", "BadPriority", "InvalidPushType", "MissingDeviceToken",
        "PayloadEmpty",
    ]

    private static let refusedTopic: Set<String> = ["BadTopic", "TopicDisallowed"]

    // Apple doesn't document BadEnvironmentKeyInToken, but sends it.
    private static let refusedProvider: Set<String> = [
        "BadCertificate", "BadCertificateEnvironment", "Forbidden", "InvalidProviderToken", "MissingProviderToken",
        "BadEnvironmentKeyIdInToken", "BadEnvironmentKeyInToken",
    ]

    /// What an operator does about a configuration that Apple refuses.
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
        case "BadCertificateEnvironment":
            "change apns.environment: the credential is for the other environment"
        case "ExpiredProviderToken":
            "even a new provider token counts as expired: correct this machine's clock (timedatectl)"
        case "UnrelatedKeyIdInToken":
            "use one key for this topic: apns.keyId belongs to another team than the key of earlier pushes"
        default:
            "check apns.teamId, apns.keyId and apns.privateKey against the key in Apple's developer account"
        }
    }
}
