/// Why a fault could not be played; not what it broke.
public struct FaultError: Error, CustomStringConvertible {
    /// In words.
    public let description: String

    /// With these words.
    public init(_ description: String) {
        self.description = description
    }
}
