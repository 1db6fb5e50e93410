import ArgumentParser

/// `nudged-bench decide`: decisions per second on one core.
struct DecideCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decide",
        abstract: "Measures decisions per second on one core."
    )

    @Option(help: "How many decisions to make.") var count = 1_000_000

    func run() throws {
        let figures = try DecideBench(count: count).run()
        let actions = figures.actions.sorted { $0.key < $1.key }.map { #""\#($0.key)":\#($0.value)"# }
        print(
            #"{"count":\#(figures.count),"seconds":\#(figures.seconds.text(3)),"decisions_per_second":"#
                + #"\#(figures.decisionsPerSecond.text(0)),"actions":{\#(actions.joined(separator: ","))}}"#
        )
    }
}
