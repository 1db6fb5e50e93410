/// An answer. Its description shows only the status and the body's size.
public struct HTTPResponse: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The final status. Usually 200 to 599, but servers may send others. Redirects are not followed.
    public let status: Int
    /// The body as received. No content coding is requested, and none is decoded.
    public let body: [UInt8]

    /// An answer with these values.
    public init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }

    /// The status and the body's size.
    public var description: String { "status \(status), \(body.count) bytes" }

    /// Has no children, because dump(_:) and interpolation of an owner would show them.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
