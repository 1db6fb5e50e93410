import Allocator
import ArgumentParser
import Demo
import Glibc

/// The demo: `make demo`.
@main
struct NudgedDemo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nudged-demo",
        abstract: "Plays a day in fast motion, with a private PostgreSQL and a simulated Apple.",
        discussion: "Needs PostgreSQL's server programs. Leaves nothing behind, even after Ctrl-C."
    )

    @Option(help: "How many people have the app.") var users = 10_000

    static func main() async {
        // As `nudged` does.
        signal(SIGPIPE, SIG_IGN)
        await main(nil)
    }

    func validate() throws {
        guard (1...1_000_000).contains(users) else { throw ValidationError("--users must be 1 to 1000000") }
    }

    func run() async throws {
        let status = await Demo(users: users).run()
        if status != .success { throw ExitCode(status.rawValue) }
    }
}
