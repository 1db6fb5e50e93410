import Postgres
import TestSupport
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

    /// `Tests/Reference/daemon-urls.txt` has the owners' URLs and the daemons'.
    @Test func daemonURL_hasTheOwnersPlaceAndNoneOfTheirSecrets() throws {
        let lines = try Checkout.reference("daemon-urls")
        #expect(lines.count == 10)
        for line in lines {
            let urls = line.split(separator: " → ").map(String.init)
            let place = try ConnectionConfiguration.parse(url: urls[0], allowInsecure: true)
            #expect(place.url(user: SetUpAnswers.daemon(beside: place), password: "new") == urls[1])
        }
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
    ) func endpoint_ofASimulatedApple_staysUntilThereIsAKey(_ isNew: Bool, _ old: String?, _ expected: String?) throws {
        var answers = SetUpAnswers()
        let known = old.map { ["apns.endpoint": $0, "apns.caFile": "/ca"] } ?? [:]
        try answers.chooseApple(nil, hasNewKey: isNew, known)
        #expect(answers.endpoint == expected && (answers.caFile != nil) == (expected != nil))
    }
}
