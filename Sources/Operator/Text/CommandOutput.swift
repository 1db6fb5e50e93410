package import JSON
package import Systemd
package import TimeZones

package import struct FoundationEssentials.UUID

/// What a command answers, for a person and for a program.
package protocol CommandOutput: Sendable {
    /// For a person. Lines without a newline at the end.
    func text(on screen: Screen) -> String
    /// For a program: one JSON document.
    var json: String { get }
    var status: ExitStatus { get }
    /// Colours the text. That is done last: what is shown has no escapes of others any more.
    func painted(_ text: String, _ colour: Colour) -> String
}

extension CommandOutput {
    package var status: ExitStatus { .success }
    package func painted(_ text: String, _ colour: Colour) -> String { text }
}

package struct Screen: Sendable {
    package let width: Int
    /// Whether block characters can be shown; else bars are of `#`.
    package let hasBlocks: Bool

    package init(width: Int, hasBlocks: Bool = false) {
        self.width = width
        self.hasBlocks = hasBlocks
    }
}

extension Instant: JSONPart { package var part: JSONValue { .string(rfc3339) } }
extension LocalDate: JSONPart { package var part: JSONValue { .string(iso) } }
extension UUID: JSONPart { package var part: JSONValue { .string(uuidString.lowercased()) } }
