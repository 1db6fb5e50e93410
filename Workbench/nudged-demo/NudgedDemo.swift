import ArgumentParser
import Demo
import Glibc
import Systemd

/// The demo: `make demo`.
@main
struct NudgedDemo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nudged-demo",
        abstract: "A private PostgreSQL, a simulated Apple, a seeded population, a day in fast motion.",
        discussion: "Needs PostgreSQL's server programs. Leaves nothing behind, Ctrl-C included."
    )

    @Option(help: "How many people.") var users = 10_000

    static func main() async {
        // As nudged does, whose work is shown here.
        Heap.limitArenas()
        signal(SIGPIPE, SIG_IGN)
        await main(nil)
    }

    func validate() throws {
        guard (1...1_000_000).contains(users) else { throw ValidationError("--users is 1 to 1000000") }
    }

    func run() async throws {
        let status = await Demo(users: users).run()
        if status != .success { throw ExitCode(status.rawValue) }
    }
}
