import JSON
package import Systemd

/// The output of `nudged doctor`, and its exit status.
package struct DoctorReport: Sendable {
    let findings: [Finding]

    /// - Parameter findings: in any order of groups. Findings of one group keep their order.
    init(_ findings: [Finding]) {
        self.findings = Finding.Group.allCases.flatMap { group in findings.filter { $0.group == group } }
    }

    /// `success` if there is no error. Else the worst: `configuration`, then `permission`, then `unavailable`.
    package var status: ExitStatus {
        let all = Set(findings.map(\.status))
        return [.configuration, .permission, .unavailable].first(where: all.contains) ?? .success
    }

    // MARK: For a person

    /// The findings by group, one line each; long lines are wrapped. A summary ends the text.
    package func text(width: Int) -> String {
        var page = TextPage(width: width)
        var last: Finding?
        for finding in findings {
            if finding.group != last?.group || finding.subject != last?.subject {
                if last != nil { page.line("") }
                page.line(finding.group.title + (finding.subject.map { ": \($0)" } ?? ""))
            }
            page.columns("  ", [(finding.level.text, 9), (finding.check, 16)], finding.found)
            if let remedy = finding.remedy { page.columns("           ", [("fix:", 16)], remedy) }
            last = finding
        }
        page.line("")
        page.line(sum)
        return page.text
    }

    /// Colours the levels in the text. That is done last: what is shown has no escapes of others any more.
    package static func painted(_ text: String, _ colour: Colour) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
            // Only a finding's first line is indented by two spaces.
            guard let level = Finding.Level.allCases.first(where: { line.hasPrefix("  \($0.text) ") }) else {
                return String(line)
            }
            return "  " + level.painted(level.text, colour) + line.dropFirst(2 + level.text.count)
        }.joined(separator: "\n")
    }

    private var sum: String {
        func count(_ level: Finding.Level) -> Int { findings.count { $0.level == level } }
        func text(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }
        var parts = [text(count(.error), "error"), text(count(.warning), "warning"), "\(count(.ok)) ok"]
        if count(.unchecked) > 0 { parts.append("\(count(.unchecked)) not checked") }
        return parts.joined(separator: ", ")
    }

    // MARK: For a program

    /// The findings as an array of objects.
    package var json: String {
        var json = JSONWriter()
        json.beginArray()
        for finding in findings { finding.write(to: &json) }
        json.endArray()
        return json.string
    }
}

extension Finding.Level {
    fileprivate var text: String {
        switch self {
        case .ok, .warning, .error: rawValue
        case .unchecked: "-"
        }
    }

    fileprivate func painted(_ text: String, _ colour: Colour) -> String {
        switch self {
        case .ok: colour.good(text)
        case .warning: colour.warning(text)
        case .error: colour.bad(text)
        case .unchecked: text
        }
    }
}

extension Finding.Group {
    fileprivate var title: String {
        switch self {
        case .configuration: "configuration"
        case .zones: "time zones"
        case .service: "service"
        case .database: "database"
        case .apple: "Apple"
        case .decision: "decision service"
        }
    }
}
