import Core
import Service
import JSON
import Systemd

/// One thing that `nudged doctor` checked: the result, and the remedy if one is needed. It never holds a token, a key,
/// a password or a text.
struct Finding: Sendable, Equatable {
    enum Level: String, Sendable, CaseIterable {
        /// No problem.
        case ok
        /// It works, but an operator should look at it.
        case warning
        /// Nudges can't be sent, or not as they should. Or someone can read or do what they must not.
        case error
        /// It could not be checked; `found` says why.
        case unchecked = "not_checked"
    }

    /// The parts of the report, in its order.
    enum Group: String, Sendable, CaseIterable {
        case configuration
        case zones
        case service
        case database
        case apple
        case decision
    }

    let group: Group
    /// What was checked. With the group it is the stable id, such as `database.clock`.
    let check: String
    /// The lane, if there are several. Nil if there is only one thing of this kind.
    let subject: String?
    let level: Level
    /// The result as text.
    let found: String
    /// For a program: each thing of a long list, of which `found` has the first few.
    let details: [String]
    let remedy: String?
    /// The exit status that it causes. `success` unless it is an error.
    let status: ExitStatus

    /// The stable id for scripts.
    var id: String { "\(group.rawValue).\(check)" }

    private init(
        _ place: Place,
        _ level: Level,
        _ found: String,
        _ remedy: String?,
        _ status: ExitStatus,
        _ details: [String] = []
    ) {
        group = place.group
        check = place.check
        subject = place.subject
        self.level = level
        // The text may hold a server's text, and a terminal would obey control characters in it.
        self.found = found.oneLine
        self.details = details
        self.remedy = remedy
        self.status = status
    }

    /// The thing that is checked.
    struct Place: Sendable {
        let group: Group
        let check: String
        var subject: String?

        init(_ group: Group, _ check: String, of subject: String? = nil) {
            self.group = group
            self.check = check
            self.subject = subject
        }

        func ok(_ found: String) -> Finding { Finding(self, .ok, found, nil, .success) }

        func warning(_ found: String, remedy: String, details: [String] = []) -> Finding {
            Finding(self, .warning, found, remedy, .success, details)
        }

        func error(_ found: String, remedy: String?, _ status: ExitStatus, details: [String] = []) -> Finding {
            Finding(self, .error, found, remedy, status, details)
        }

        /// - Parameter why: continues the text "not checked: ".
        func unchecked(_ why: String) -> Finding { Finding(self, .unchecked, "not checked: \(why)", nil, .success) }
    }

    /// `{"id", "subject", "level", "found", "details", "remedy", "exit"}`. Every key is always present.
    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.put("id", id)
        json.put("subject", subject)
        json.put("level", level.rawValue)
        json.put("found", found)
        json.list("details", details) { $1.string($0) }
        json.put("remedy", remedy)
        json.key("exit")
        json.int(status.rawValue)
        json.endObject()
    }
}
