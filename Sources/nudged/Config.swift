import Configuration
import ArgumentParser

struct Config: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the values in force with their sources, or lists all keys.",
        discussion: """
            Without an option it shows the values. Secrets are hidden; of the database's URL you see user, host, port, \
            database and sslmode. --reference needs no configuration: it lists every key with its values, default and \
            variable.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @Flag(help: "Show the values in force. This is the default.") var show = false
    @Flag(help: "List all keys, as Markdown.") var reference = false
    @Flag(help: "As one JSON object.") var json = false

    func validate() throws {
        if show && reference { throw ValidationError("give --show or --reference, not both") }
    }

    func run() throws {
        let text: String
        if reference {
            text = json ? ConfigurationReference.json : ConfigurationReference.page
        } else {
            let loaded = try config.load()
            text = json ? ConfigurationReport.json(loaded) : ConfigurationReport.show(loaded)
        }
        guard Output.line(text) else { throw Output.failure("the configuration can't be written") }
    }
}
