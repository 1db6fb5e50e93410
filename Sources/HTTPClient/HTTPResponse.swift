/// An answer. Its description and mirror show the status and the body's size only.
public struct HTTPResponse: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The final status, 200 to 599 and whatever else a server may say; redirects are not followed.
    public let status: Int
    /// The body, as it came: no coding was asked for, none is undone.
    public let body: [UInt8]

    /// An answer.
    public init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }

    /// Status and size.
    public var description: String { "status \(status), \(body.count) bytes" }

    /// No children: dump(_:) and interpolation of an owner would show them.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
