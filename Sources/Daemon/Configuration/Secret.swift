/// A text that no log, error or dump shows.
public struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text itself; for the one place that needs it.
    public let text: String

    /// Hides `text`.
    public init(_ text: String) {
        self.text = text
    }

    /// Never the text.
    public var description: String { "(hidden)" }
    /// Never the text.
    public var debugDescription: String { "(hidden)" }
    /// No children: dump(_:) and interpolation of an owner would show them.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
