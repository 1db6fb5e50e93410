/// A text that no log, error or dump shows.
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text itself; for the one place that needs it.
    package let text: String

    /// Hides `text`.
    package init(_ text: String) {
        self.text = text
    }

    /// Never the text.
    package var description: String { "(hidden)" }
    /// Never the text.
    package var debugDescription: String { "(hidden)" }
    /// No children: dump(_:) and interpolation of an owner would show them.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
