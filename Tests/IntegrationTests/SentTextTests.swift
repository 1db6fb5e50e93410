import APNsSimulator
import Glibc
import LocalPostgres
import TestSupport
import Testing

/// What check-ins say, from the database's templates to Apple.
@Suite(.ownThreads) struct SentTextTests {
    private static let conversation = "0f4a1c3e-9b7d-4c2a-8e5f-001122334455"

    /// Only these.
    private func templates(_ scene: Scene, _ rows: String) throws {
        try scene.sql(
            "delete from nudged.template; insert into nudged.template (title, body, action, locale) values \(rows)"
        )
    }

    @Test func checkIns_whenTemplatesFit_takeTheirText() async throws {
        let scene = try await Scene()
        try scene.seedDue(4)
        try templates(
            scene,
            "('Hello {first_name}', 'again', null, null), ('Hallo {first_name}', 'wieder', null, 'de'), ('', 'plain words', null, null)"
        )
        let known = #""locale": "de-AT", "conversation_id": "\#(Self.conversation)", "domain": "work""#
        try scene.setContext(of: 1, #"{"first_name": "Ann", \#(known)}"#)
        try scene.setContext(of: 2, #"{"first_name": "Bob"}"#)
        try scene.setContext(of: 3, #"["no object"]"#)
        #expect(try await scene.once().number("sent") == 4)
        let aps = #"{"aps":{"alert":{"title":"Hallo Ann","body":"wieder"},"sound":"default"},"#
        let opened = #""conversation_id":"\#(Self.conversation)","domain":"work","action":"open_conversation","#
        let name = try scene.sql("select max(key) from nudged.delivery")
        #expect(scene.payloads(of: 1) == [aps + opened + #""nudge":"\#(name)"}"#])
        #expect(scene.payloads(of: 2).allSatisfy { $0.contains("Hello Bob") || $0.contains("plain words") })
        for user in [3, 4] { #expect(scene.payloads(of: user).first?.contains("plain words") == true) }
        // The record and the user's row have the template's id. The text itself is nowhere.
        let told = try scene.lines(
            "select d.user_id, t.id from nudged.delivery d join nudged.template t on t.id = d.template"
        )
        let states = try scene.states().map { "\($0.key)|\($0.value.template ?? 0)" }
        #expect(told.count == 4 && told.sorted() == states.sorted())
        #expect(try scene.sql("select count(*) from nudged.delivery d where d::text ~ 'Ann|Bob|plain|Hallo'") == "0")
        let after = try await scene.nudged(["explain", Scene.user(4), "--json"])
        #expect(!after.output.contains("plain words"), "\(after.text)")
        #expect(after.output.contains(#""status":200,"attempted_at""#), "\(after.text)")
    }

    /// Each run is a daemon of its own.
    @Test func text_whenSentAgainAndAgain_neverComesTwiceRunning() async throws {
        let scene = try await Scene()
        try scene.seedDue(6)
        try templates(scene, "('one', '', null, null), ('two', '', null, null), ('three', '', null, null)")
        for _ in 0..<5 {
            #expect(try await scene.once().number("sent") == 6)
            try scene.rewind()
        }
        for user in 1...6 {
            let said = scene.payloads(of: user)
            #expect(said.count == 5 && zip(said, said.dropFirst()).allSatisfy { $0 != $1 }, "\(said)")
        }
        // Not in a row for everyone, but each user in their own order.
        #expect(Set((1...6).map { scene.payloads(of: $0).first ?? "" }).count > 1)
    }

    /// A settlement that is on its way would undo a rewind.
    private func untilRecorded(_ scene: Scene, _ count: Int) async throws {
        #expect(await scene.simulator.waitUntil(accepted: count))
        try await scene.wait(for: "count(*) = \(count) from nudged.delivery where outcome = 'accepted'")
    }

    @Test(.timeLimit(.minutes(10))) func template_whenChanged_countsAtTheNextSweep() async throws {
        let scene = try await Scene()
        try scene.seedDue(1)
        try templates(scene, "('before', '', null, null)")
        let process = try scene.startFast()
        try await untilRecorded(scene, 1)
        try templates(scene, "('after', '', null, null)")
        try scene.rewind()
        try await untilRecorded(scene, 2)
        // Without a text nothing is sent, until somebody writes one.
        try scene.sql("update nudged.template set active = false")
        try scene.rewind()
        try await scene.wait(for: "reason = 'no_text' from nudged.person")
        let why = try await scene.nudged(["explain", Scene.user(1), "--json"])
        #expect(why.output.contains("no active template fits the user"), "\(why.text)")
        #expect(try scene.sql("select meaning from nudged.user_status").contains("No active template fits"))
        let doctor = try await scene.nudged(["doctor", "--json"])
        #expect(doctor.output.contains("no template is active"), "\(doctor.text)")
        try templates(scene, "('other', '', null, null)")
        #expect(try await scene.nudged(["replan"]).exit == .code(0))
        try await untilRecorded(scene, 3)
        try await scene.stop(process)
        let said = scene.payloads(of: 1)
        #expect(said.count == 3 && said[0].contains("before") && said[1].contains("after"), "\(said)")
        #expect(said.last?.contains("other") == true)
    }
}
