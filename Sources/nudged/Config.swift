import Configuration
import Operator
import Service
import ArgumentParser
import Systemd

struct Config: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the values in force with their sources, or lists all keys.",
        discussion: """
            Without an option it shows the values. Secrets are hidden; of the database's URL you see user, host, port, \
            database and sslmode. --reference needs no configuration: it lists every key with its values, default and \
            variable.

            --addresses prints a drop-in of systemd for nudged.service. With it, the daemon reaches only what the \
            configuration names: PostgreSQL, Apple, the decision service, the heartbeat's service, and the name \
            servers. Names are looked up now; write it again if an address changes. It also allows the port of \
            metrics.listen. Exit status: 69 if a name has no address.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @Flag(help: "Show the values in force. This is the default.") var show = false
    @Flag(help: "List all keys, as Markdown.") var reference = false
    @Flag(help: "Print the addresses that the daemon may reach, as a drop-in of systemd.") var addresses = false
    @Flag(help: "As one JSON object.") var json = false

    func validate() throws {
        if [show, reference, addresses].count(where: \.self) > 1 {
            throw ValidationError("give one of --show, --reference and --addresses")
        }
        if addresses && json { throw ValidationError("--addresses has no --json") }
    }

    func run() throws {
        guard !addresses else { return try printAddresses() }
        let text: String
        if reference {
            text = json ? ConfigurationReference.json : ConfigurationReference.page
        } else {
            let loaded = try config.load()
            text = json ? ConfigurationReport.json(loaded) : ConfigurationReport.show(loaded)
        }
        guard Output.line(text, isJSON: json) else { throw Output.failure("the configuration can't be written") }
    }

    private func printAddresses() throws {
        let loaded = try config.load()
        let text: String
        do {
            text = try UnitAddresses(loaded).dropIn()
        } catch let error as UnitAddresses.UnknownHost {
            Output.error("\(error)")
            throw ExitCode(ExitStatus.unavailable.rawValue)
        } catch {
            Output.error("\(error)")
            throw ExitCode(OneRun.status(of: error).rawValue)
        }
        guard Output.line(text) else { throw Output.failure("the drop-in can't be written") }
    }
}
