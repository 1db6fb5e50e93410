public import FoundationEssentials

/// One push to one device, as the daemon hands it over.
///
/// The payload is rendered (`Notification.render(into:)`); several devices share its storage.
public struct Push: Sendable {
    /// The caller's own number; comes back in `PushResult.tag`.
    public var tag: UInt64
    /// The device token: an even count of 2 to 200 hexadecimal digits, else the result is `PushOutcome.invalidToken`.
    public var token: String
    /// The app's bundle id, or what the push type adds to it.
    public var topic: String
    /// Alert, background …
    public var pushType: PushType
    /// 10, 5 or 1.
    public var priority: PushPriority
    /// Unix seconds after which Apple drops the push; 0: deliver now or never.
    public var expiration: Int64
    /// The same for a repeat of the same nudge to the same device: `PushIdentity.apnsID`.
    public var apnsID: UUID
    /// At most 64 bytes of printable ASCII; pushes with the same id replace one another on the device.
    public var collapseID: String?
    /// The JSON body, at most `PushType.payloadLimit` bytes.
    public var payload: [UInt8]
    /// The instant (milliseconds of CLOCK_BOOTTIME) after which the push must not be written any more.
    public var writeBy: Int64

    /// All parts; nothing is checked here but by `Sender.send`, which answers for each push.
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
        writeBy: Int64
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
    }
}
