import Delivery
import Service
import JSON
import Systemd

/// One thing that `nudged doctor` looked at: what was found, and the mend where one is needed. It never holds a token, a key, a password or a text.
struct Finding: Sendable, Equatable {
    /// How bad it is.
    enum Level: String, Sendable {
        /// As it should be.
        case ok
        /// It works, and somebody should look at it.
        case warning
        /// Nudges can't be sent, or not as they should.
        case error
        /// It could not be looked at; why stands in `found`.
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
    /// What was looked at: with the group its stable name, `database.clock`.
    let check: String
    /// Whose, where there are several: a lane.
    let subject: String?
    let level: Level
    /// In words.
    let found: String
    let mend: String?
    /// How the command ends for it. `success` unless it is an error.
    let status: ExitStatus

    /// As scripts know it.
    var id: String { "\(group.rawValue).\(check)" }

    private init(_ place: Place, _ level: Level, _ found: String, _ mend: String?, _ status: ExitStatus) {
        group = place.group
        check = place.check
        subject = place.subject
        self.level = level
        // A server's words are in it, and a terminal obeys control characters.
        self.found = found.oneLine
        self.mend = mend
        self.status = status
    }

    /// What is looked at.
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

        func warning(_ found: String, mend: String) -> Finding { Finding(self, .warning, found, mend, .success) }

        func error(_ found: String, mend: String?, _ status: ExitStatus) -> Finding {
            Finding(self, .error, found, mend, status)
        }

        /// - Parameter why: goes on after "not checked: ".
        func unchecked(_ why: String) -> Finding { Finding(self, .unchecked, "not checked: \(why)", nil, .success) }
    }

    /// `{"id", "subject", "level", "found", "mend", "exit"}`, every key always there.
    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.put("id", id)
        json.put("subject", subject)
        json.put("level", level.rawValue)
        json.put("found", found)
        json.put("mend", mend)
        json.key("exit")
        json.int(status.rawValue)
        json.endObject()
    }
}
