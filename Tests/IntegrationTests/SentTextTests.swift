import APNsSimulator
import Glibc
import LocalPostgres
import TestSupport
import Testing

/// What check-ins say, from the database's templates to Apple. `Tests/Reference/Scenes` has more.
@Suite(.ownThreads) struct SentTextTests {
    /// Each run is a daemon of its own.
    @Test func text_whenSentAgainAndAgain_neverComesTwiceRunning() async throws {
        let scene = try await Scene()
        try scene.seedDue(6)
        try scene.sql(
            "delete from nudged.template; insert into nudged.template (title, body) values ('one', ''), ('two', ''), ('three', '')"
        )
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
}
