import ArgumentParser
import Demo

/// `nudged demo`.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "A private PostgreSQL, a simulated Apple, a seeded population, a day in fast motion.",
        discussion: "Needs PostgreSQL's server programs. Leaves nothing behind, Ctrl-C included."
    )

    @Option(help: "How many people.") var users = 10_000

    func validate() throws {
        guard (1...1_000_000).contains(users) else { throw ValidationError("--users is 1 to 1000000") }
    }

    func run() async throws {
        let status = await Demo(users: users).run()
        if status != .success { throw ExitCode(status.rawValue) }
    }
}
