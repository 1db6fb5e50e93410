/// A fault could not be played. What a fault broke is a `Breach` instead.
public struct FaultError: Error, CustomStringConvertible {
    /// What failed and why.
    public let description: String

    /// An error with this text.
    public init(_ description: String) {
        self.description = description
    }
}
