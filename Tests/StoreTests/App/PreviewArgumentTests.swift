import TestSupport
import Testing

@testable import Core

/// A preview refuses what `nudged_api.send` would refuse, with the argument's name.
@Suite(.ownThreads) struct PreviewArgumentTests {
    typealias F = StoreFixture

    @Test(arguments: [
        ("'a', 'b', apns => '{\"bagde\": 1}'", "apns has a member bagde / Did you mean badge?"),
        ("'a', 'b', data => '[]'", "data is of type array / "), ("'', ' '", "title and body are both empty / "),
        ("'a', repeat('x', 4096)", "the payload has 4183 bytes / "),
        ("'a', 'b', expires_at => now() - interval '1 minute'", "expires_at is in the past / "),
        ("'a', 'b', deliver_at => now() - interval '1 minute'", "deliver_at is in the past / "),
        ("'a', 'b', deliver_local => '2000-01-01'", "deliver_local is in the past in every zone / "),
        ("'a', 'b', category => ''", "category has 0 bytes / "),
    ]) func preview_whenAnArgumentIsBad_isRefusedByItsName(arguments: String, refusal: String) async throws {
        let fixture = try await F()
        let refused = try fixture.refusal("select nudged_api.preview(\(F.quoted(1)), \(arguments))")
        #expect(refused.hasPrefix("22023 nudged_api.preview: " + refusal), "\(refused)")
        #expect(try fixture.sql("select count(*) from nudged.preview") == "0")
        await fixture.close()
    }
}
