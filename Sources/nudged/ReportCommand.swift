import Configuration
import Operator
import Service
import ArgumentParser
import Glibc

/// `nudged report`.
struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "The record as one page of pictures, for a browser: counts only, nothing that names a person.",
        discussion: """
            One file that asks for nothing from any network, light or dark as the reader's system is. Reads one snapshot of the database and changes nothing; it \
            counts in the database, on one of its processors. docs/REPORT.md says what each picture shows and how it is counted.

            Exit status: 69 where the database can't be reached, 74 where the file can't be written, 77 where a right is missing, 78 where the \
            configuration or the schema is wrong.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @Option(help: "How far to look back: 1 to 366.") var days = 7
    @Option(help: ArgumentHelp("The file to write; - for standard output.", valueName: "file")) var html: String

    func validate() throws {
        guard ReportRun.days.contains(days) else {
            throw ValidationError("--days is \(ReportRun.days.lowerBound) to \(ReportRun.days.upperBound)")
        }
        guard !html.isEmpty else { throw ValidationError("--html names no file") }
    }

    func run() async throws {
        let loaded = try config.load(needs: .database)
        let page: String
        do {
            let command = try ReportRun(loaded.configuration)
            page = try await Terminal.progress("counting") {
                try await command.page(days: days, version: Version.current, onProgress: $0)
            }
        } catch {
            Output.error("\(error)")
            throw ExitCode(OneRun.status(of: error).rawValue)
        }
        guard html != "-" else {
            guard Output.write(Array(page.utf8), to: STDOUT_FILENO) else {
                throw Output.failure("the report can't be written")
            }
            return
        }
        do throws(ReportFileError) {
            try ReportFile(html).write(page)
        } catch {
            Output.error("\(error)")
            // EX_IOERR of sysexits(3)
            throw ExitCode(74)
        }
    }
}
