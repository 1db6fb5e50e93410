import Configuration
import Operator
import Service
import ArgumentParser
import Glibc

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Says whether nudged works. Shows what waits, the daemons and their lanes.",
        discussion: """
            The first line is the answer: it works, it is behind, something is paused, or it does not work. It only \
            reads the database.

            Exit status: 0 if it works, also while a backlog shrinks or a kind is paused; 1 if sweeps fail, or if \
            users wait and none is served; 69 if no daemon is alive or the database can't be reached; 75 if a lane \
            is stopped; 77 if a right is missing; 78 if the configuration or the schema is wrong.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @Flag(help: "As one JSON object.") var json = false

    func run() async throws {
        let loaded = try config.load(needs: .database)
        let page: StatusPage
        do {
            page = try await StatusRun(loaded.configuration).run()
        } catch {
            Output.error("\(error)")
            throw ExitCode(OneRun.status(of: error).rawValue)
        }
        let text = json ? page.json : page.text(width: Terminal.width(STDOUT_FILENO))
        guard Output.line(text, isJSON: json, paint: { paint($0, page.status == .success) }) else {
            throw Output.failure("the page can't be written")
        }
        if page.status != .success { throw ExitCode(page.status.rawValue) }
    }

    /// Colours the answer's first word.
    private func paint(_ text: String, _ works: Bool) -> String {
        let colour = Terminal.colour(STDOUT_FILENO)
        let word = String(text.prefix { $0 != " " && $0 != ":" })
        let painted = !works ? colour.bad(word) : word == "Works" ? colour.good(word) : colour.warning(word)
        return painted + text.dropFirst(word.count)
    }
}
