import ArgumentParser
import Systemd

/// `nudged-bench journal`: an entry's cost in this machine's journal. Large ones go as a memory file.
struct JournalBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal",
        abstract: "Measures entries per second into this machine's journal."
    )

    @Option(help: "How many entries.") var count = 1_000
    @Option(help: "How many bytes the field NUDGED_BODY has.") var bytes = 200

    func run() throws {
        guard let journal = Journal() else { throw ValidationError("can't make a socket for the journal") }
        let body = String(repeating: "x", count: bytes)
        var lost = 0
        let start = ContinuousClock.now
        for number in 1...max(1, count) {
            let entry: [(name: String, value: String)] = [
                ("MESSAGE", "entry \(number) of \(count) from nudged-bench"), ("PRIORITY", "7"),
                ("SYSLOG_IDENTIFIER", "nudged-bench"), ("NUDGED_BODY", body),
            ]
            if !journal.send(entry) { lost += 1 }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let rate = Int(Double(max(1, count)) / max(seconds, 1e-9))
        print(#"{"entries":\#(count),"bytes":\#(bytes),"lost":\#(lost),"entries_per_second":\#(rate)}"#)
    }
}
