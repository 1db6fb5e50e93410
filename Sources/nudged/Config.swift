import Configuration
import ArgumentParser

/// `nudged config --show` and `nudged config --reference`.
struct Config: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the configuration in force, or the reference of all keys.",
        discussion: """
            --show prints each value with its source, and hides secrets. --reference needs no configuration: it lists \
            every key with its values, default and variable.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @Flag(help: "Print the configuration in force.") var show = false
    @Flag(help: "Print the reference of all keys, as Markdown.") var reference = false
    @Flag(help: "With --reference: print one JSON object.") var json = false

    func validate() throws {
        if show == reference { throw ValidationError("config needs either --show or --reference") }
        if json && !reference { throw ValidationError("--json needs --reference") }
    }

    func run() throws {
        if reference {
            let text = json ? ConfigurationReference.json : ConfigurationReference.page
            guard Output.line(text) else { throw Output.failure("the reference can't be written") }
        } else {
            let text = ConfigurationReport.show(try config.load())
            guard Output.line(text) else { throw Output.failure("the configuration can't be written") }
        }
    }
}
