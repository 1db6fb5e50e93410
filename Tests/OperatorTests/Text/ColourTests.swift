import Testing

@testable import Operator

@Suite struct ColourTests {
    @Test func text_isColouredOnATerminalThatWantsIt() {
        for environment in [[:], ["TERM": "xterm"], ["NO_COLOR": ""]] {
            let colour = Colour(isTerminal: true, environment: environment)
            #expect(colour.good("ok") == "\u{1B}[32mok\u{1B}[0m")
            #expect(colour.warning("warning") == "\u{1B}[33mwarning\u{1B}[0m")
            #expect(colour.bad("error") == "\u{1B}[1;31merror\u{1B}[0m")
        }
        for environment in [["NO_COLOR": "1"], ["TERM": "dumb"], ["NO_COLOR": "0", "TERM": "xterm"]] {
            #expect(Colour(isTerminal: true, environment: environment).bad("error") == "error")
        }
        #expect(Colour(isTerminal: false, environment: [:]).bad("error") == "error")
    }
}
