import Glibc
import LocalPostgres
import TestSupport
import Testing

/// `nudged-apple`, as a developer starts it, with pushes of `nudged send-test`.
@Suite(.ownThreads) struct AppleCommandTests {
    private static let (good, dead, wrong) = ("c0ffee" + twice, "DEAD" + twice, "bad0" + twice)
    private static let twice = String(repeating: "0123456789abcdef", count: 4)

    private func start(_ folder: String, _ more: [String]) throws -> ChildProcess {
        let answers = ["--answer", "dead=410", "--answer", "bad0=400:BadTopic"]
        return try ChildProcess(keeping: [Scene.binary + "-apple", "--folder", folder] + answers + more)
    }

    @Test(arguments: [false, true]) func apple_answersAsScripted_andShowsNoWholeToken(_ isJSON: Bool) async throws {
        let scene = try await Scene()
        let folder = "\(scene.folder)/apple"
        let apple = try start(folder, ["--port", "0"] + (isJSON ? ["--json"] : []))
        defer { apple.end() }
        try #require(apple.waitForOutput(.seconds(60)) { $0.contains("\n") }, "\(apple.errorOutput)")
        let endpoint = try #require(TextFile.read("\(folder)/endpoint")).replacing("\n", with: "")
        let variables = [
            "APNS_ENDPOINT": endpoint, "APNS_CA_FILE": "\(folder)/ca.pem", "APNS_KEY_ID": "SIMULATED0",
            "APNS_PRIVATE_KEY_FILE": "\(folder)/AuthKey_SIMULATED0.p8",
        ]
        for (token, status) in [(Self.good, 0), (Self.dead, 65), (Self.wrong, 78)] as [(String, Int32)] {
            let command = ["send-test", "--token", token, "--title", "Ann", "--body", "At six?"]
            let run = try await scene.nudged(command, variables)
            #expect(run.exit == .code(status), "\(token.prefix(4)): \(run.text)")
        }
        // A second one finds the port taken, and leaves the first one's files.
        let port = String(endpoint.split(separator: ":").last ?? "")
        let second = try start(folder, ["--port", port])
        #expect(second.wait(.seconds(60)) == .code(1) && second.errorOutput.contains("--port"), "\(second.errorOutput)")
        #expect(TextFile.read("\(folder)/endpoint") != nil)
        let authority = TextFile.read("\(folder)/ca.pem")

        apple.signal(SIGTERM)
        #expect(await apple.ended() == .code(0))
        _ = apple.wait(.seconds(5))
        let said = apple.output
        let parts =
            isJSON
            ? [
                #""status":200,"#, #""alert":{"title":"Ann","body":"At six?"}"#, #""reason":"Unregistered""#,
                #""reason":"BadTopic""#, #""accepted":1"#,
            ] : ["  200 ", "Ann: At six?", "  410 Unregistered", "  400 BadTopic", "accepted 1 of "]
        #expect(said.contains(/[0-9]{2}:[0-9]{2}:[0-9]{2}/), "\(said)")
        for part in parts { #expect(said.contains(part), "\(part): \(said)") }
        for token in [Self.good, Self.dead, Self.wrong] {
            #expect(said.contains(token.prefix(8)) && !said.contains(token.prefix(16)), "\(said)")
        }
        #expect(TextFile.read("\(folder)/endpoint") == nil)

        // The next one has the same certificate, so a daemon that runs trusts it.
        let next = try start(folder, ["--port", "0"])
        defer { next.end() }
        #expect(next.waitForOutput(.seconds(60)) { $0.contains("\n") })
        #expect(TextFile.read("\(folder)/ca.pem") == authority && authority != nil)
    }
}
