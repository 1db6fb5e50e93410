import Systemd
import YAML

/// The configuration file as a tree, or why it can't be read.
struct ConfigurationFile {
    let path: String
    var root: YAMLNode?
    var problem: ConfigurationProblem?
    /// Whether every user of the machine can read the file.
    var isOpen = false
    var exists = true

    static func read(_ path: String, mustExist: Bool) -> ConfigurationFile {
        var file = ConfigurationFile(path: path)
        do throws(SystemdError) {
            let found = try ProtectedFile(reading: path, limit: YAMLDocument.maximumSize)
            // That is an error only if the file holds a secret; the assembler checks it.
            file.isOpen = found.isWorldReadable
            file.parse(found.text)
        } catch {
            file.take(error, mustExist: mustExist)
        }
        return file
    }

    private mutating func parse(_ text: String) {
        do throws(YAMLError) {
            root = try YAMLDocument.parse(text)
        } catch {
            problem = ConfigurationProblem(
                file: path,
                mark: error.mark,
                what: error.what,
                remedy: "correct the YAML at this place"
            )
        }
    }

    private mutating func take(_ error: SystemdError, mustExist: Bool) {
        switch error.code {
        // An empty file is no error: the environment may give every value.
        case .empty: break
        case .missing where !mustExist: exists = false
        default:
            exists = error.code != .missing
            problem = ConfigurationProblem(
                error.exitStatus == .permission ? .permission : .error,
                file: path,
                what: error.problem,
                remedy: error.remedy
            )
        }
    }
}
