import ArgumentParser
import Base
import Configuration
import Glibc
import Operator
import Service
import Synchronization
import Systemd

/// Writes to standard output and standard error by write(2), so that a full disk or a closed pipe is an ordinary error.
/// All text of all commands goes through here, and none of it can control the terminal.
enum Output {
    /// False if writing failed. JSON keeps its values. Other text loses its escapes before `paint`.
    @discardableResult
    static func line(_ text: String, isJSON: Bool = false, paint: (String) -> String = { $0 }) -> Bool {
        let shown = isJSON ? text.printableJSON : paint(text.printableLines)
        return writeAll(Array(shown.utf8) + [UInt8(ascii: "\n")], to: STDOUT_FILENO)
    }

    /// Writes a command's answer, and ends the command with its status unless that is success.
    static func answer(_ answer: some CommandOutput, isJSON: Bool, _ name: String) throws {
        let colour = Terminal.colour(STDOUT_FILENO)
        let text = isJSON ? answer.json : answer.text(on: Terminal.screen)
        guard line(text, isJSON: isJSON, paint: { answer.painted($0, colour) }) else { throw failure(name) }
        if answer.status != .success { throw ExitCode(answer.status.rawValue) }
    }

    /// Runs `work`. If it fails, reports the error and ends the command with the error's status.
    static func reporting<T>(_ work: () async throws -> T) async throws -> T {
        do {
            return try await work()
        } catch let code as ExitCode {
            throw code
        } catch {
            Self.error("\(error)")
            throw ExitCode(CommandFailure.status(of: error).rawValue)
        }
    }

    static func error(_ text: String) {
        let prefix = Terminal.colour(STDERR_FILENO).bad(errorName) + " "
        _ = writeAll(Array("\(prefix)\(text.printableLines)\n".utf8), to: STDERR_FILENO)
    }

    static let errorName = "nudged:"

    /// Reports the error in `errno`. EPIPE is not reported.
    static func failure(_ what: String, _ verb: String = "written") -> ExitCode {
        // If the reader has closed the pipe (`| head`), only the exit status tells it.
        if errno != EPIPE { error("\(what) can't be \(verb): \(String(cString: strerror(errno)))") }
        return ExitCode(ExitStatus.ioError.rawValue)
    }

    static func write(_ text: String, _ name: String) throws {
        guard writeAll(Array(text.utf8), to: STDOUT_FILENO) else { throw failure(name) }
    }
}

enum Terminal {
    /// The terminal's columns; 80 if it is no terminal or reports fewer than 20.
    static func width(_ descriptor: Int32) -> Int {
        var size = winsize()
        return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col >= 20 ? Int(size.ws_col) : 80
    }

    static func colour(_ descriptor: Int32) -> Colour {
        Colour(isTerminal: isatty(descriptor) == 1, environment: ProcessEnvironment.current())
    }

    /// Standard output's screen. Block characters can be shown if the locale is UTF-8.
    static var screen: Screen {
        let environment = ProcessEnvironment.current()
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let hasBlocks = locale.uppercased().filter { $0 != "-" }.hasSuffix("UTF8")
        return Screen(width: width(STDOUT_FILENO), hasBlocks: hasBlocks)
    }

    static func progress<T>(_ what: String, _ work: (@escaping Progress) async throws -> T) async rethrows -> T {
        guard isatty(STDERR_FILENO) == 1 else { return try await work { _, _ in } }
        let bar = Mutex(ProgressLine(what, width: width(STDERR_FILENO)))
        defer { show(bar.withLock { $0.clear() }) }
        return try await work { done, total in show(bar.withLock { $0.draw(done, of: total) }) }
    }

    private static func show(_ text: String?) { if let text { _ = writeAll(Array(text.utf8), to: STDERR_FILENO) } }
}

struct ConfigurationOption: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: ArgumentHelp("The configuration file. (default: /etc/nudged/nudged.yaml)", valueName: "file")
    )
    var path: String?

    /// Reports the problems, to a journal without warnings, else to standard error. Ends with the error's exit status.
    func load(needs: ConfigurationNeeds = .all, output: LogOutput? = nil) throws -> LoadedConfiguration {
        do throws(ConfigurationError) {
            let environment = ProcessEnvironment.current()
            return try ConfigurationLoader.load(path: path, environment: environment, needs: needs, checks: .system)
        } catch {
            if let output, output.isJournal {
                for problem in error.problems where problem.severity != .warning {
                    say(.configurationRefused, "the configuration can't be used: \(problem)", to: output)
                }
            } else {
                Output.error("the configuration can't be used\n\(error)")
            }
            throw ExitCode(error.exitStatus.rawValue)
        }
    }

    func answer(
        isJSON: Bool,
        _ name: String = "the report",
        needs: ConfigurationNeeds = .database,
        _ work: (Configuration) async throws -> some CommandOutput
    ) async throws {
        let configuration = try load(needs: needs).configuration
        try Output.answer(try await Output.reporting { try await work(configuration) }, isJSON: isJSON, name)
    }

    func say(_ event: Event, _ message: String, to output: LogOutput) { output.write(LogLine(event, message)) }
}
