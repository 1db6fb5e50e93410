import Testing

@testable import Operator

/// The daemon's URL, and what is wrong with answers.
@Suite struct SetUpAnswersTests {
    private func answers(_ url: String, key: String = "/root/AuthKey_KEY1234567.p8") -> SetUpAnswers {
        SetUpAnswers(database: url, keyFile: key, team: "T", bundleID: "a.b", title: "t", body: "b")
    }

    @Test(arguments: [
        ("postgresql://owner:pw@db.example.com:5433/app", "nudged_daemon:new@db.example.com:5433/app"),
        ("postgres://db.example.com/app", "nudged_daemon:new@db.example.com/app"),
        ("postgresql://owner@/app?host=/run/pg", "nudged_daemon:new@/app?host=/run/pg"),
        (
            "postgresql://h/app?user=o&sslmode=verify-full&password=p&sslrootcert=/a/b",
            "nudged_daemon:new@h/app?sslmode=verify-full&sslrootcert=/a/b"
        ),
        ("postgresql://h/app?password=p", "nudged_daemon:new@h/app"),
        ("postgresql://o:p%40q@a,b:5433/app", "nudged_daemon:new@a,b:5433/app"),
        (
            "postgresql://postgres.abcd:pw@aws-0-eu-west-1.pooler.supabase.com:5432/postgres?sslmode=verify-full",
            "nudged_daemon.abcd:new@aws-0-eu-west-1.pooler.supabase.com:5432/postgres?sslmode=verify-full"
        ),
        ("postgresql://some.body:pw@db.example.com/app", "nudged_daemon:new@db.example.com/app"),
    ])
    func daemonURL_hasTheOwnersPlaceAndNoneOfTheirSecrets(_ owner: String, _ daemon: String) {
        #expect(answers(owner).daemonURL(password: "new") == "postgresql://\(daemon)")
    }

    @Test(arguments: [
        ("AuthKey_KEY1234567.p8", "KEY1234567"), ("/a/b/AuthKey_X.p8", "X"), ("key.p8", nil), ("AuthKey_X.pem", nil),
    ])
    func keyID_comesFromTheFilesName(_ file: String, _ id: String?) {
        #expect(SetUpAnswers.keyID(ofFile: file) == id)
        #expect(answers("postgresql://h/a", key: file).faults.isEmpty == (id != nil))
    }

    @Test(arguments: [
        ("postgresql://postgres:pw@db.abcd.supabase.co:5432/postgres?sslmode=verify-full", ["certificate"]),
        ("postgresql://p.a:pw@aws-0-x.pooler.supabase.com:6543/postgres", ["certificate", "port 6543"]),
        ("postgresql://p.a:pw@aws-0-x.pooler.supabase.com:6543/postgres?sslrootcert=/c", ["port 6543"]),
        ("postgresql://p:pw@db.abcd.supabase.co/postgres?sslmode=verify-full&sslrootcert=/c", []),
        ("postgresql://p:pw@db.example.com:6543/postgres", []),
    ])
    func faults_ofSupabase(_ url: String, _ found: [String]) {
        let faults = answers(url).faults
        #expect(faults.count == found.count)
        for (fault, part) in zip(faults, found) {
            #expect(fault.found.contains(part) && fault.remedy?.isEmpty == false)
            #expect(!fault.found.contains("pw") && fault.remedy?.contains(":pw") == false)
        }
    }

    @Test func file_isReadAsItWasMeant() throws {
        var answers = answers("postgresql://h/a")
        answers.title = "Say \"hi\" \\ # now: yes"
        #expect(answers.file.contains(#"title: "Say \"hi\" \\ # now: yes""#))
        #expect(answers.file.contains("- environment: sandbox") && answers.file.contains("environment: production"))
        answers.endpoint = "https://localhost:1"
        #expect(!answers.file.contains("apps:") && answers.file.contains("endpoint: \"https://localhost:1\""))
    }
}
