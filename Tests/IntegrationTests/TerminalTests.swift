import JSON
import LocalPostgres
import TestSupport
import Testing

/// What others wrote into the database, the configuration or a command line can't control the operator's terminal.
@Suite(.ownThreads) struct TerminalTests {
    /// It sets the window's title (ESC ]0;), turns the order of what follows round, and clears the screen by C1.
    static let hostile = "x\u{1B}]0;planned\u{7}\u{202E}\u{9B}2Jy"

    /// Whether a terminal would obey something in the text.
    static func controls(_ text: String) -> Bool {
        text.unicodeScalars.contains { scalar in
            let category = scalar.properties.generalCategory
            return scalar != "\n" && (category == .control || category == .format)
        }
    }

    /// What was typed, here in place of the @, is quoted in the error.
    @Test(arguments: [
        ["@"], ["help", "@"], ["status", "--@"], ["explain", "@"], ["pause", "@"], ["status", "--config", "/tmp/@"],
        ["replan", "--over", "@"], ["send-test", "--token", "@"],
    ]) func error_whenItQuotesWhatWasTyped_controlsNoTerminal(arguments: [String]) async throws {
        let typed = arguments.map { $0.replacing("@", with: Self.hostile) }
        let run = try await ChildProcess.toEnd([Scene.binary] + typed, [:])
        let said = run.output + run.errors
        #expect(said.contains("nudged:") && !Self.controls(said), "\(said.debugDescription)")
    }
}
