import Testing

@testable import Postgres

@Suite struct ConfigurationTests {
    @Test(arguments: [
        "postgresql://u:p@db.example.com/n", "postgresql://u@10.0.0.1/n?sslmode=require",
        "postgresql://u@db.example.com/n?sslmode=verify-ca", "postgresql://u@localhost,db.example.com/n",
        "postgresql://u@localhost/n?hostaddr=192.0.2.1", "postgresql://u@127.0.0.1.example.com/n",
    ]) func url_whenRemoteAndUnverified_isRefusedWithTheRemedy(url: String) throws {
        #expect { try ConnectionConfiguration.parse(url: url) } throws: {
            ($0 as? PostgresError)?.code == .insecure && "\($0)".contains("verify-full")
                && "\($0)".hasSuffix("or set database.allowInsecure")
        }
        _ = try ConnectionConfiguration.parse(url: url, allowInsecure: true)
    }

    @Test(arguments: [
        "postgresql://u:p@db.example.com/n?sslmode=verify-full", "postgresql:///n", "postgresql://localhost/n",
        "postgresql://127.0.0.2/n", "postgresql://[::1]/n", "postgresql://%2Ftmp/n",
    ]) func url_whenLocalOrVerified_isTaken(url: String) throws { _ = try ConnectionConfiguration.parse(url: url) }

    @Test(arguments: [
        "postgresql://u:secret@ss@host/n", "postgresql://u:sec/ret@host/n", "postgresql://u:secret%zz@host/n", "secret",
        "postgresql://u:p@h/n?service=secret", "postgresql://u:p@h/n?secret=1", "postgresql://h:99999/n", "host=secret",
        "postgresql://u:p@a,b:1,c:2,d/n?port=1,2", "postgresql://u:p@h:secret/n",
        "postgresql://localhost/n?sslmode=secret",
    ]) func url_whenBad_isRefusedWithoutItsParts(url: String) {
        #expect { try ConnectionConfiguration.parse(url: url, allowInsecure: true) } throws: {
            let error = $0 as? PostgresError
            return error?.code == .invalidURL && !"\($0)".contains("secret") && !"\($0)".contains("ss@")
        }
    }

    @Test(arguments: [
        "postgresql://u:p@secret@db.example.com/n", "postgresql://u:p@secret/x@db.example.com/n",
        "postgresql://u:secret@@db.example.com/n", "postgresql://u@secret.com:p@localhost/n",
        "postgresql://u:p@secret?x@localhost/n", "postgresql://u:p@secret=x@localhost/n?sslmode=require",
        "postgresql://u:p@secret,x:1@localhost/n",
    ]) func url_whenAnAtIsNotEscaped_saysSoWithoutItsParts(url: String) {
        #expect { try ConnectionConfiguration.parse(url: url) } throws: {
            let said = "\($0)"
            return said.hasSuffix(
                "the user or password contains an unescaped @; write %40 for every @ except the one before the host"
            ) && !said.contains("secret")
        }
    }

    @Test(arguments: ["postgresql://u:5432/secret@localhost/n", "postgresql://u:secret/?x@localhost/n"])
    func url_whenASlashIsNotEscaped_saysSoWithoutItsParts(url: String) {
        #expect { try ConnectionConfiguration.parse(url: url) } throws: {
            let said = "\($0)"
            return said.hasSuffix("contains an unescaped /; write %2F for every / in user and password")
                && !said.contains("secret")
        }
    }

    @Test(arguments: [
        "postgresql://u:p%40s%2Fs@localhost/n", "postgresql://u:p?x=s@localhost/n", "postgresql:///n?user=a@b",
        "postgresql://u@localhost/n?application_name=a@b",
    ]) func url_whenAnAtIsWhereItMayBe_isTaken(url: String) throws { _ = try ConnectionConfiguration.parse(url: url) }

    @Test func configuration_whenPrintedOrDumped_hidesThePassword() throws {
        let configuration = try ConnectionConfiguration.parse(url: "postgresql://u:secret@localhost/n")
        var dumped = ""
        dump(configuration, to: &dumped)
        #expect(!"\(configuration) \(String(reflecting: configuration)) \(dumped)".contains("secret"))
        #expect("\(configuration)".hasPrefix("u@localhost:5432/n"))
    }
}
