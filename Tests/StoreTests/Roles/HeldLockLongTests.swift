import TestSupport
import Testing

@testable import Core

@Suite(.ownThreads) struct HeldLockLongTests {
    /// An advisory lock for each device would need a place in shared memory (53200).
    @Test(.timeLimit(.minutes(10))) func devices_whenManyAreRegisteredAtOnce_needNoSharedMemory() async throws {
        let fixture = try await F()
        let registered = try fixture.sql(
            """
            set role nudged_app;
            select count(*) from (
                select nudged_api.register_device(
                    ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, lpad(to_hex(n), 64, '0'))
                from generate_series(1, 15000) as n
            ) as calls
            """
        )
        #expect(registered == "15000")
        let rows = "select (select count(*) from public.push_tokens), (select count(*) from nudged.lock)"
        try fixture.expect(rows, "15000|0")
    }
}
