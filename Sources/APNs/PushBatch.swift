package import FoundationEssentials
import HTTP2

/// What a push is for. It sets the headers `apns-push-type`, `apns-priority` and the end of `apns-topic`.
package enum PushType: Sendable, Equatable {
    case alert
    /// Content for the app only.
    case background
    /// - Parameter isUrgent: Apple sends it at once, which counts towards a limit.
    case liveActivity(isUrgent: Bool)
    case widgets
    case controls

    var name: String {
        switch self {
        case .alert: "alert"
        case .background: "background"
        case .liveActivity: "liveactivity"
        case .widgets: "widgets"
        case .controls: "controls"
        }
    }

    /// Whether it is for the app itself. Another push has a token and a topic of its own.
    package var isForApp: Bool { self == .alert || self == .background }

    func topic(of bundleID: String) -> String { isForApp ? bundleID : "\(bundleID).push-type.\(name)" }

    /// Apple refuses a background push with 10.
    var priority: String { self == .alert || self == .liveActivity(isUrgent: true) ? "10" : "5" }
}

/// Pushes that are sent together, in one buffer. A further push allocates nothing, and payloads are rendered into the
/// buffer that they are sent from. A push's slot, its place in the batch, is its only number.
package struct PushBatch: Sendable {
    /// What the sender must know of a push besides its text.
    struct Label: Sendable {
        let type: PushType
        /// It tries the token in another environment than its own. If it is refused, that says nothing about the lane.
        let isTrial: Bool
    }

    /// The names of the varying fields, by their index. An expiration that repeats may enter HPACK's table. A new one
    /// is never indexed: many different ones would evict the bearer token.
    private static let varying: [RequestTemplate.VaryingField] = [
        ("apns-expiration", false), ("apns-expiration", true), ("apns-id", true), ("apns-collapse-id", true),
    ]

    /// Apple's limit for a payload in bytes.
    package static let payloadLimit = 4_096

    let topic: String
    private(set) var requests = RequestBatch()
    private(set) var labels: [Label] = []
    /// The outcomes of pushes that can't be sent, by their slots.
    private(set) var outcomes: [Int: PushOutcome] = [:]
    private var expiration: (value: Int64, text: [UInt8])?

    package init(topic: String, room: Int = 0) {
        self.topic = topic
        labels.reserveCapacity(room)
        // A path with 64 digits of token, the fields with their framing, and a usual payload.
        requests.reserve(requests: room, bytes: room * (74 + 13 + 39 + 35 + 320))
    }

    package var count: Int { labels.count }

    /// Adds a push.
    ///
    /// - Parameters:
    ///   - token: An even count of 2 to 200 hexadecimal digits. Else the outcome is `PushOutcome.invalidToken`.
    ///   - expiration: Unix seconds after which Apple drops the push. 0: Apple tries once and doesn't store it.
    ///   - apnsID: The same for each attempt of one nudge to one device: `PushIdentity.apnsID`.
    ///   - collapseID: Pushes with the same id replace one another on the device.
    ///   - writeBy: The push is not written from this instant on (milliseconds of CLOCK_BOOTTIME).
    ///   - payload: Appends the JSON body and changes nothing else. Too long: `PushOutcome.payloadTooLarge`.
    package mutating func append(
        token: String,
        type: PushType = .alert,
        expiration: Int64,
        apnsID: UUID,
        collapseID: PushIdentity.CollapseID? = nil,
        writeBy: Int64,
        isTrial: Bool = false,
        payload: (inout [UInt8]) -> Void
    ) {
        guard DeviceToken.isValid(token) else { return skip(.invalidToken) }
        requests.begin(writeBy: UInt64(clamping: writeBy))
        requests.appendPath("/3/device/")
        requests.appendPath(token)
        if let last = self.expiration, last.value == expiration {
            requests.appendField(0) { $0.append(contentsOf: last.text) }
        } else {
            let text = Array(expiration.description.utf8)
            requests.appendField(1) { $0.append(contentsOf: text) }
            self.expiration = (expiration, text)
        }
        requests.appendField(2) { JSONText.append(apnsID, to: &$0) }
        if let collapseID { requests.appendField(3) { collapseID.append(to: &$0) } }
        if requests.appendBody(payload) > Self.payloadLimit {
            requests.emptyLast()
            outcomes[count] = .payloadTooLarge
        }
        labels.append(Label(type: type, isTrial: isTrial))
    }

    /// Adds a slot whose push is not sent, but has this outcome.
    package mutating func skip(_ outcome: PushOutcome) {
        outcomes[count] = outcome
        requests.begin()
        labels.append(Label(type: .alert, isTrial: false))
    }

    /// Milliseconds of CLOCK_BOOTTIME.
    func writeBy(_ slot: Int) -> Int64 { Int64(clamping: requests.writeBy(slot)) }

    /// What pushes of one type with one provider token have in common.
    static func template(_ type: PushType, topic: String, token: String, authority: String) -> RequestTemplate {
        let fields = [
            ("apns-topic", type.topic(of: topic)), ("apns-push-type", type.name), ("apns-priority", type.priority),
            ("authorization", "bearer \(token)"),
        ]
        return RequestTemplate(authority: authority, fields: fields, varying: varying)
    }
}

/// A device token in a path. Today it has 64 hexadecimal digits; Apple promises at most 100 bytes.
package enum DeviceToken {
    /// Whether the text is an even count of 2 to 200 hexadecimal digits.
    package static func isValid(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { digits in
            guard (2...200).contains(digits.count), digits.count.isMultiple(of: 2) else { return false }
            // Without a branch, so that many bytes are checked at a time.
            var areValid: UInt8 = 1
            for byte in digits {
                let (decimal, letter) = (byte &- UInt8(ascii: "0"), (byte | 0x20) &- UInt8(ascii: "a"))
                areValid &= (decimal < 10 ? 1 : 0) | (letter < 6 ? 1 : 0)
            }
            return areValid == 1
        }
    }
}

/// The outcome of a push. Reasons are Apple's, or nudged's in snake case.
public enum PushOutcome: Sendable, Equatable {
    case accepted
    /// Final for this device and nudge. `status` is nil if the push was never sent. `deletes` is set only for a 410.
    case rejected(status: Int?, reason: String, deletes: TokenDeletion?)
    /// The token is refused for this environment and topic. When the window of answers closes, `onQuarantine` is called
    /// if the device is to blame, unless this was a trial. If the lane is misconfigured, it stops instead.
    case suspect(status: Int, reason: String)
    /// Answered, not accepted: send to this device again later. `retryAfter` is in seconds.
    case delayed(reason: String, status: Int, retryAfter: Int?)
    /// Never written, or not accepted for a reason outside the push. It may be claimed again at once.
    case unsent(reason: String)
    /// Written without an answer: Apple may have delivered it.
    case unknown(reason: String)

    /// Apple's reason for a token that is broken, or of the other environment.
    package static let badDeviceToken = "BadDeviceToken"
    package static let invalidToken = PushOutcome.rejected(status: nil, reason: "invalid_token", deletes: nil)
    package static let payloadTooLarge = PushOutcome.rejected(status: nil, reason: "payload_too_large", deletes: nil)
}

/// Which registrations a 410 lets nudged delete: those older than an instant.
public enum TokenDeletion: Sendable, Equatable {
    /// The instant that Apple named, in milliseconds since 1970.
    case olderThan(timestamp: Int64)
    /// Apple named none: the instant at which the push was sent.
    case olderThanSend
}

/// The result of one push. Each push has exactly one.
package struct PushResult: Sendable, Equatable {
    /// The push's place in its batch.
    package let slot: Int
    package let outcome: PushOutcome
}

/// A push whose token Apple refuses for this environment and topic.
package struct RefusedToken: Sendable, Equatable {
    /// The push's place in its batch.
    package let slot: Int
    /// Apple's reason: BadDeviceToken or DeviceTokenNotForTopic.
    package let reason: String
}
