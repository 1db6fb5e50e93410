import Fixtures
import Postgres
import Testing

@testable import Operator

/// The daemon's URL, and what is wrong with answers.
@Suite struct SetUpAnswersTests {
    private func answers(_ url: String, key: String = "/root/AuthKey_KEY1234567.p8") -> SetUpAnswers {
        var answers = SetUpAnswers()
        (answers.database, answers.keyFile, answers.keyID) = (url, key, SetUpAnswers.keyID(ofFile: key) ?? "")
        (answers.team, answers.bundleID, answers.title, answers.body) = ("T", "a.b", "t", "b")
        return answers
    }

    @Test(arguments: [
        ("postgresql://owner:pw@db.example.com:5433/app", "nudged_daemon:new@db.example.com:5433/app"),
        ("postgres://db.example.com/app", "nudged_daemon:new@db.example.com:5432/app"),
        ("postgresql://owner@/app?host=/run/pg", "nudged_daemon:new@/app?host=/run/pg&port=5432"),
        ("postgresql://owner:pw@[::1]:5433/app", "nudged_daemon:new@[::1]:5433/app"),
        ("postgresql://owner:pw@localhost", "nudged_daemon:new@localhost:5432/owner"),
        (
            "postgresql://h/app?user=o&sslmode=verify-full&password=p&sslrootcert=/a/b&sslpassword=q",
            "nudged_daemon:new@h:5432/app?sslmode=verify-full&sslrootcert=/a/b"
        ),
        ("postgresql://h/a%20b?u%73er=o&passwor%64=p&application_name=x@y", "nudged_daemon:new@h:5432/a%20b"),
        ("postgresql://o:p%40q@a,b:5433/app", "nudged_daemon:new@/app?host=a,b&port=5432,5433"),
        (
            "postgresql://postgres.abcd:pw@aws-0-eu-west-1.pooler.supabase.com:5432/postgres?sslmode=verify-full",
            "nudged_daemon.abcd:new@aws-0-eu-west-1.pooler.supabase.com:5432/postgres?sslmode=verify-full"
        ),
        ("postgresql://some.body:pw@db.example.com/app", "nudged_daemon:new@db.example.com:5432/app"),
    ]) func daemonURL_hasTheOwnersPlaceAndNoneOfTheirSecrets(_ owner: String, _ daemon: String) throws {
        let place = try ConnectionConfiguration.parse(url: owner, allowInsecure: true)
        let role = SetUpAnswers.daemon(beside: place)
        #expect(place.url(user: role, password: "new") == "postgresql://\(daemon)")
    }

    @Test(arguments: [
        ("AuthKey_KEY1234567.p8", "KEY1234567"), ("/a/b/AuthKey_X.p8", "X"), ("key.p8", nil), ("AuthKey_X.pem", nil),
    ])
    func keyID_comesFromTheFilesName(_ file: String, _ id: String?) { #expect(SetUpAnswers.keyID(ofFile: file) == id) }

    @Test(arguments: [
        ("postgresql://postgres:pw@db.abcd.supabase.co:5432/postgres?sslmode=verify-full", ["certificate"]),
        ("postgresql://p.a:pw@aws-0-x.pooler.supabase.com:6543/postgres", ["certificate", "port 6543"]),
        ("postgresql://p.a:pw@aws-0-x.pooler.supabase.com:6543/postgres?sslrootcert=/c", ["port 6543"]),
        ("postgresql://p:pw@db.abcd.supabase.co/postgres?sslmode=verify-full&sslrootcert=/c", []),
        ("postgresql://p:6543pw@db.abcd.supabase.co/postgres?sslrootcert=/c", []),
        ("postgresql://p:pw@DB.abcd.Supabase.co:6543/postgres?sslrootcert=/c", ["port 6543"]),
        ("postgresql://p:pw@db.example.com:6543/postgres", []),
    ]) func faults_ofSupabase(_ url: String, _ found: [String]) throws {
        let faults = answers(url).faults(try ConnectionConfiguration.parse(url: url, allowInsecure: true))
        #expect(faults.count == found.count)
        for (fault, part) in zip(faults, found) {
            #expect(fault.found.contains(part) && fault.remedy?.isEmpty == false)
            #expect(!fault.found.contains("pw") && fault.remedy?.contains(":pw") == false)
        }
    }

    @Test func file_isReadAsItWasMeant() throws {
        var answers = answers("postgresql://h/a")
        answers.bundleID = "Say \"hi\" \\ # now: yes"
        #expect(answers.file.contains(#"bundleId: "Say \"hi\" \\ # now: yes""#))
        #expect(!answers.file.contains("environment:"), "both of Apple's environments")
        #expect(!answers.file.contains("endpoint"))
        answers.endpoint = "https://localhost:1"
        #expect(answers.file.contains("endpoint: \"https://localhost:1\""))
    }

    @Test(
        arguments: [
            (false, "https://localhost:1", "https://localhost:1"), (true, "https://localhost:1", nil),
            (true, "https://api.push.apple.com:2197", "https://api.push.apple.com:2197"), (true, nil, nil),
        ] as [(Bool, String?, String?)]
    )
    func endpoint_ofASimulatedApple_staysUntilThereIsAKey(
        _ hasNewKey: Bool,
        _ known: String?,
        _ expected: String?
    ) throws {
        var answers = SetUpAnswers()
        let known = known.map { ["apns.endpoint": $0, "apns.caFile": "/ca"] } ?? [:]
        try answers.chooseApple(nil, hasNewKey: hasNewKey, known)
        #expect(answers.endpoint == expected && (answers.caFile != nil) == (expected != nil))
    }
}
