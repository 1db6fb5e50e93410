import Fixtures
import Testing

@testable import Configuration
@testable import Service

/// The database's URL, as libpq reads it.
@Suite struct ConfigurationDatabaseTests {
    private let fixture = ConfigurationFixture()
    private let checks = ConfigurationChecks { $0.database = ConfigurationChecks.system.database }

    @Test func url_whenItIsShown_hasHostAndRoleButNoPassword() throws {
        let yaml = "database:\n  url: postgresql://me:planted@db.example:6432/app?sslmode=verify-full\n"
        let loaded = try fixture.load(yaml, without: ["DATABASE_URL"], checks: checks)
        let row = loaded.rows.first { $0.key == "database.url" }
        #expect(row?.value == "me@db.example:6432/app sslmode=verify-full" && row?.isSecret == true)
        #expect(!ConfigurationReport.show(loaded).contains("planted"))
        #expect(!ConfigurationReport.json(loaded).contains("planted"))
    }

    @Test(arguments: [
        (
            "postgresql://me:p@planted@db.example/app?sslmode=verify-full",
            "the user or password contains an unescaped @: write %40 for every @ except the one before the host"
        ),
        (
            "postgresql://me:p/planted@db.example/app",
            "the user or password contains an unescaped /: write %2F for every / in user and password"
        ),
        (
            "postgresql://me:planted@db.example/app",
            "sslmode prefer is not enough for a host other than this machine: add sslmode=verify-full "
                + "(and sslrootcert=FILE for a private authority; FILE may be /etc/ssl/certs/ca-certificates.crt) "
                + "to database.url, or set database.allowInsecure"
        ),
        (
            "mysql://planted",
            "the value is wrong: write a URI such as postgresql://user@host/database?sslmode=verify-full"
        ),
    ])
    func fault_whenTheURLIs_isSaidOnceWithoutItsParts(url: String, expected: String) {
        #expect(
            fixture.faults("database:\n  url: \(url)\n", without: ["DATABASE_URL"], checks: checks) == [
                "nudged.yaml:2:8: database.url: \(expected)"
            ]
        )
    }
}
