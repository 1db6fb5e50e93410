public import FoundationEssentials

/// One push to one device.
///
/// The payload is rendered already (`Notification.render(into:)`). Several devices share its storage.
public struct Push: Sendable {
    /// The caller's own number. It comes back in `PushResult.tag`.
    public var tag: UInt64
    /// The device token: an even count of 2 to 200 hexadecimal digits. Otherwise the result is
    /// `PushOutcome.invalidToken`.
    public var token: String
    /// The app's bundle id. Some push types append to it.
    public var topic: String
    /// The header `apns-push-type`.
    public var pushType: PushType
    /// The header `apns-priority`: 10, 5 or 1.
    public var priority: PushPriority
    /// Unix seconds after which Apple drops the push. 0: Apple tries once and doesn't store it.
    public var expiration: Int64
    /// The same for each attempt of one nudge to one device: `PushIdentity.apnsID`.
    public var apnsID: UUID
    /// At most 64 bytes of printable ASCII. Pushes with the same id replace one another on the device.
    public var collapseID: String?
    /// The JSON body, at most `PushType.payloadLimit` bytes.
    public var payload: [UInt8]
    /// The push must not be written after this instant (milliseconds of CLOCK_BOOTTIME).
    public var writeBy: Int64
    /// Whether this push tries the token in another environment than the one it was registered for. If it is refused,
    /// that says nothing about the lane.
    public var isTrial: Bool

    /// A push with these values. `Sender.send` checks them and reports for each push.
    public init(
        tag: UInt64,
        token: String,
        topic: String,
        pushType: PushType = .alert,
        priority: PushPriority = .immediate,
        expiration: Int64,
        apnsID: UUID,
        collapseID: String? = nil,
        payload: [UInt8],
        writeBy: Int64,
        isTrial: Bool = false
    ) {
        self.tag = tag
        self.token = token
        self.topic = topic
        self.pushType = pushType
        self.priority = priority
        self.expiration = expiration
        self.apnsID = apnsID
        self.collapseID = collapseID
        self.payload = payload
        self.writeBy = writeBy
        self.isTrial = isTrial
    }
}
