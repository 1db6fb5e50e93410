/// What the sender refuses before it writes a byte. No case holds a token, a key or a payload.
package enum APNsError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The rendered payload is over Apple's limit. Texts are never cut silently.
    case payloadTooLarge(bytes: Int, limit: Int)
    /// The payload itself uses this name, or the name is given twice.
    case reservedMember(name: String)
    case malformedMember(name: String)
    /// The provider token could not be signed; `cause` is the signing key's description.
    case unsignedToken(cause: String)

    /// What is wrong. Holds no data of the user.
    package var description: String {
        switch self {
        case .payloadTooLarge(let bytes, let limit):
            "the payload is \(bytes) bytes, Apple takes \(limit)"
        case .reservedMember(let name):
            "the custom member \"\(name)\" is reserved or given twice"
        case .malformedMember(let name):
            "the custom member \"\(name)\" has a value that is not JSON"
        case .unsignedToken(let cause):
            "the provider token could not be signed: \(cause)"
        }
    }
}
