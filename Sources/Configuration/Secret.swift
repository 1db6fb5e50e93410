/// A text that logs, errors and dumps hide.
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text itself. Read it only where it is used.
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// Hides the text.
    package var description: String { "(hidden)" }
    /// Hides the text.
    package var debugDescription: String { "(hidden)" }
    /// No children: else `dump(_:)` of an owner would print the text.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
