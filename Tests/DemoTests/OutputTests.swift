import Testing

@testable import Demo

@Suite struct OutputTests {
    @Test func colours_whenNoTerminalOrRefused() {
        let utf8 = ["LANG": "C.UTF-8"]
        #expect(DemoOutput.look(environment: utf8, isTerminal: true) == (true, true))
        #expect(DemoOutput.look(environment: utf8, isTerminal: false) == (false, true))
        #expect(
            DemoOutput.look(environment: ["NO_COLOR": "1", "LANG": "en_GB.utf8"], isTerminal: true) == (false, true)
        )
        #expect(DemoOutput.look(environment: ["NO_COLOR": "", "TERM": "dumb"], isTerminal: true) == (false, false))
    }

    @Test func blocks_whenLocaleIsNotUTF8() {
        #expect(!DemoOutput.look(environment: ["LC_ALL": "C", "LANG": "C.UTF-8"], isTerminal: true).hasBlocks)
        #expect(!DemoOutput.look(environment: [:], isTerminal: true).hasBlocks)
    }
}
