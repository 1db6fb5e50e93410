import ArgumentParser
import Systemd

/// `nudged-bench journal`: what an entry costs, sent to this machine's journald as the daemon sends it; large ones go by memory file.
struct JournalBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal",
        abstract: "Entries a second into this machine's journal."
    )

    @Option(help: "How many.") var count = 1_000
    @Option(help: "Bytes of the field NUDGED_BODY.") var bytes = 200

    func run() throws {
        guard let journal = Journal() else { throw ValidationError("no socket can be made") }
        let body = String(repeating: "x", count: bytes)
        var lost = 0
        let start = ContinuousClock.now
        for number in 1...max(1, count) {
            var entry = JournalEntry(message: "entry \(number) of \(count) from nudged-bench", priority: 7)
            entry.add("SYSLOG_IDENTIFIER", "nudged-bench")
            entry.add("NUDGED_BODY", body)
            if !journal.send(entry) { lost += 1 }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let rate = Int(Double(max(1, count)) / max(seconds, 1e-9))
        print(#"{"entries":\#(count),"bytes":\#(bytes),"lost":\#(lost),"entries_per_second":\#(rate)}"#)
    }
}
