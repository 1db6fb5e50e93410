import JSON
import Systemd
import Testing

@testable import Operator

@Suite struct DoctorReportTests {
    private static func clock(_ finding: Finding) -> Finding { finding.of(.database, "clock") }
    private static func key(_ finding: Finding) -> Finding { finding.of(.apple, "key", "com.example.app (sandbox)") }

    @Test(arguments: [
        ([Systemd.ExitStatus](), Systemd.ExitStatus.success), ([.unavailable], .unavailable),
        ([.unavailable, .permission], .permission), ([.permission, .configuration, .unavailable], .configuration),
    ]) func status_isTheWorstErrors(errors: [Systemd.ExitStatus], expected: Systemd.ExitStatus) {
        let findings = errors.map { Self.clock(.error("it is so", $0).fix(nil)) }
        #expect(DoctorReport(findings + [Self.clock(.ok("fine"))]).status == expected)
    }

    @Test func status_whenThereAreWarningsAlone_isSuccess() {
        let report = DoctorReport([Self.clock(.warning("odd").fix("look")), Self.clock(.unchecked("nobody answers"))])
        #expect(report.status == .success)
    }

    @Test func findings_areUnderTheirGroupsInOrder() {
        let report = DoctorReport([
            Self.key(.error("it is no key").fix("give one")), Self.clock(.ok("the same")),
            Self.clock(.unchecked("nobody answers")), Self.clock(.warning("odd").fix("look")),
        ])
        #expect(
            report.text(on: Screen(width: 80)) == """
                database
                  ok       clock           the same
                  -        clock           not checked: nobody answers
                  warning  clock           odd
                           fix:            look

                Apple: com.example.app (sandbox)
                  error    key             it is no key
                           fix:            give one

                1 error, 1 warning, 1 ok, 1 not checked
                """
        )
    }

    @Test func text_inColour_differsInItsMarksAlone() {
        let long = String(repeating: "word ", count: 60) + "end"
        let report = DoctorReport([
            Self.clock(.ok("fine")), Self.clock(.warning("odd").fix("look")), Self.clock(.unchecked("nobody answers")),
            Self.key(.error(long).fix(long)),
        ])
        let coloured = report.painted(report.text(on: Screen(width: 80)), Colour(isTerminal: true, environment: [:]))
        for line in [
            "  \u{1B}[32mok\u{1B}[0m       clock           fine", "  \u{1B}[33mwarning\u{1B}[0m  clock           odd",
            "  -        clock           not checked: nobody answers",
        ] { #expect(coloured.contains(line + "\n"), "\(coloured)") }
        #expect(coloured.contains("  \u{1B}[1;31merror\u{1B}[0m    key"))
        #expect(coloured.replacing(/\u{1B}\[[0-9;]*m/, with: "") == report.text(on: Screen(width: 80)))
    }

    @Test(arguments: [60, 80, 120]) func lines_whenTheyAreLong_goOnBelow(width: Int) {
        let long = String(repeating: "word ", count: 60) + "end"
        let lines = DoctorReport([Self.clock(.warning(long).fix(long))]).text(on: Screen(width: width)).split(
            separator: "\n"
        )
        #expect(lines.allSatisfy { $0.count <= width } && lines.filter { $0.hasSuffix("end") }.count == 2)
        #expect(lines.dropFirst(2).prefix(3).allSatisfy { $0.hasPrefix(String(repeating: " ", count: 27) + "word") })
    }

    /// A server's text or a host's name may have any characters.
    @Test func found_whenItHoldsControls_isOneLine() {
        #expect(Self.clock(.ok("a\u{1B}[31mb\nc")).found == "a [31mb c")
    }
}
