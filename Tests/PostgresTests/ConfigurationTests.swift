import TestSupport
import Testing

@testable import Postgres

@Suite struct ConfigurationTests {
    private func refusal(_ url: String, allowInsecure: Bool = false) -> PostgresError? {
        do throws(PostgresError) {
            _ = try ConnectionConfiguration.parse(url: url, allowInsecure: allowInsecure)
            return nil
        } catch {
            return error
        }
    }

    /// `Tests/Reference/database-urls.txt` says what becomes of each.
    @Test func urls_areTakenOrRefusedAsWritten() throws {
        let lines = try Checkout.reference("database-urls")
        #expect(lines.count == 36)
        for line in lines {
            let (word, url) = (line.prefix { $0 != " " }, String(line.drop { $0 != " " }.dropFirst()))
            let (error, other) = (refusal(url), refusal(url, allowInsecure: true))
            let said = error.map { "\($0)" } ?? ""
            switch word {
            case "taken": #expect(error == nil, "\(line)")
            case "insecure":
                #expect(error?.code == .insecure && said.contains("verify-full"), "\(line)")
                #expect(said.hasSuffix("or set database.allowInsecure") && other == nil, "\(line)")
            case "invalid":
                let said = other.map { "\($0)" } ?? ""
                #expect(other?.code == .invalidURL && !said.contains("secret") && !said.contains("ss@"), "\(line)")
            default:
                let at = "the user or password contains an unescaped @; write %40 for every @ "
                let slash = "contains an unescaped /; write %2F for every / in user and password"
                let end = word == "@" ? at + "except the one before the host" : slash
                #expect(said.hasSuffix(end) && !said.contains("secret"), "\(line)")
            }
        }
    }

    @Test func configuration_whenPrintedOrDumped_hidesThePassword() throws {
        let configuration = try ConnectionConfiguration.parse(url: "postgresql://u:secret@localhost/n")
        var dumped = ""
        dump(configuration, to: &dumped)
        #expect(!"\(configuration) \(String(reflecting: configuration)) \(dumped)".contains("secret"))
        #expect("\(configuration)".hasPrefix("u@localhost:5432/n"))
    }
}
