import Base
import Core
import JSON
import Postgres
import Service
import Systemd

/// The result of one check, with the remedy if one is needed. It never holds a token, a key, a password or a text.
struct Finding: Sendable, Equatable {
    enum Level: String, Sendable, CaseIterable {
        case ok
        case warning
        /// Nudges can't be sent, or not as they should. Or someone can read or do what they must not.
        case error
        case unchecked = "not_checked"

        var text: String { self == .unchecked ? "-" : rawValue }

        func painted(_ colour: Colour) -> String {
            switch self {
            case .ok: colour.good(text)
            case .warning: colour.warning(text)
            case .error: colour.bad(text)
            case .unchecked: text
            }
        }
    }

    enum Group: String, Sendable, CaseIterable {
        case configuration, zones, service, database, apple, decision

        var title: String {
            ["zones": "time zones", "apple": "Apple", "decision": "decision service"][rawValue] ?? rawValue
        }
    }

    private(set) var group = Group.database
    /// What was checked. With the group it is the stable id, such as `database.clock`.
    private(set) var check = ""
    /// The lane, if there are several. Nil if there is only one thing of this kind.
    private(set) var subject: String?
    let level: Level
    let found: String
    private(set) var remedy: String?
    let status: ExitStatus
    /// For a program: each thing of a long list, of which `found` has the first few.
    let details: [String]

    private init(_ level: Level, _ found: String, _ status: ExitStatus = .success, _ details: [String] = []) {
        // The text may hold a server's text, and a terminal would obey control characters in it.
        (self.level, self.found, self.status, self.details) = (level, found.oneLine, status, details)
    }

    static func ok(_ found: String) -> Finding { Finding(.ok, found) }

    /// A warning or an error whose fix is not said yet.
    struct Fault {
        fileprivate let finding: Finding

        /// - Parameter remedy: nil: `found` says it.
        func fix(_ remedy: String?) -> Finding {
            var finding = finding
            finding.remedy = remedy
            return finding
        }
    }

    static func warning(_ found: String, details: [String] = []) -> Fault {
        Fault(finding: Finding(.warning, found, .success, details))
    }

    static func error(_ found: String, _ status: ExitStatus = .configuration, details: [String] = []) -> Fault {
        Fault(finding: Finding(.error, found, status, details))
    }

    static func unchecked(_ why: String) -> Finding { Finding(.unchecked, "not checked: \(why)") }
    func when(_ isOne: Bool) -> [Finding] { isOne ? [self] : [] }

    var lines: [String] { ["  error  \(found)"] + (remedy.map { ["         fix: \($0)"] } ?? []) }

    func of(_ group: Group, _ check: String, _ subject: String? = nil) -> Finding {
        var finding = self
        (finding.group, finding.check, finding.subject) = (group, check, subject)
        return finding
    }

    var fields: Fields {
        [
            "id": "\(group.rawValue).\(check)", "subject": subject, "level": level.rawValue, "found": found,
            "details": details, "remedy": remedy, "exit": status.rawValue,
        ]
    }
}

protocol Verdict: Sendable { var findings: [Finding] { get } }

extension Finding: Verdict { var findings: [Finding] { [self] } }
extension [Finding]: Verdict { var findings: [Finding] { self } }

typealias Known<Value> = Result<Value, Unanswered>

struct Unanswered: Error {
    /// Continues the text "not checked: ".
    let why: String
    /// Nil: the question was not asked.
    var error: PostgresError?
}

extension Result where Failure == Unanswered {
    func findings(_ check: (Success) -> some Verdict) -> [Finding] {
        switch self {
        case .success(let value): check(value).findings
        case .failure(let unanswered): [.unchecked(unanswered.why)]
        }
    }
}

extension PostgresError {
    /// The description without the remedy: a finding has a field for that.
    var withoutRemedy: String {
        guard let remedy, description.hasSuffix("; \(remedy)") else { return description }
        return String(description.dropLast(remedy.count + 2))
    }
}
