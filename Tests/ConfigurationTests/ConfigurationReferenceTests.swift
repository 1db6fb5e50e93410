import Fixtures
import JSON
import TestSupport
import Testing

@testable import Configuration

/// docs/CONFIGURATION.md and the package's configuration file, held to the code.
@Suite struct ConfigurationReferenceTests {
    @Test func page_isTheOneInTheDocs() throws {
        #expect(
            try Checkout.text("docs/CONFIGURATION.md") == ConfigurationReference.page + "\n",
            "run make docs, and commit docs/CONFIGURATION.md"
        )
    }

    @Test func json_saysOfEachKeyWhatTheLoaderTakes() throws {
        let json = try JSONValue(parsing: ConfigurationReference.json)
        guard case .array(let sections) = json["sections"] else { throw NoList() }
        let shown = try sections.flatMap { section in
            guard case .array(let keys) = section["keys"] else { throw NoList() }
            return keys
        }
        #expect(shown.count == ConfigurationKey.listed.count)
        for (shown, key) in zip(shown, ConfigurationKey.listed) {
            #expect(shown["name"] == .string(key.name))
            #expect(shown["default"] == key.standard.map(JSONValue.string) ?? .null)
            #expect(shown["variable"] == .string(key.environmentName))
            #expect(shown["required"] == .bool(!key.need.isEmpty) && shown["secret"] == .bool(key.isSecret))
        }
    }

    private struct NoList: Error {}

    @Test func packagedFile_asItIs_lacksOnlyWhatMustBeGiven() throws {
        let fixture = ConfigurationFixture()
        let faults = fixture.faults(try Checkout.text("debian/nudged.yaml"), environment: [:])
        let required = ConfigurationKey.all.filter { !$0.need.isEmpty }.map(\.name) + ["apns.privateKey"]
        let found = Set(faults.compactMap { $0.split(separator: ": ").first.map(String.init) })
        #expect(found == Set(required), "\(faults)")
        #expect(faults.count == required.count)
    }

    /// A line `#  key: value` is a setting, and prose has one space after its mark.
    @Test func packagedFile_withoutItsMarks_isValid() throws {
        let lines = try Checkout.text("debian/nudged.yaml").split(separator: "\n", omittingEmptySubsequences: false)
        let settings = lines.filter { $0.firstMatch(of: /^#( {2})*[A-Za-z]+:/) != nil }.map { $0.dropFirst() }
        #expect(settings.count > 5)
        let secrets = ConfigurationFixture.environment.filter {
            $0.key == "DATABASE_URL" || $0.key == "APNS_PRIVATE_KEY"
        }
        let yaml = settings.joined(separator: "\n")
        let loaded = try ConfigurationFixture().load(yaml, environment: secrets, mode: 0o644)
        #expect(loaded.warnings.isEmpty)
        for row in loaded.rows {
            guard case .file = row.source, let key = ConfigurationKey.byName[row.key], let standard = key.standard
            else { continue }
            #expect(row.value == standard, "\(row.key) is shown with another value than its default")
        }
    }

    /// What the pages show of the file is valid, the keys of further apps included.
    @Test(arguments: ["docs/OPERATIONS.md", "docs/METRICS.md"]) func examples_ofThePages_areValid(page: String) throws {
        let more = ["APNS_PRIVATE_KEY_KEY2345678": ConfigurationFixture.key]
        let examples = try Checkout.text(page).matches(of: /```yaml\n([\s\S]*?)```/).map { String($0.1) }
            .filter { example in ConfigurationKey.sections.contains { example.hasPrefix($0.name + ":") } }
        #expect(examples.count == 1)
        for example in examples { #expect(ConfigurationFixture().faults(example, with: more) == []) }
    }
}
