import TestSupport
import Testing

@testable import Core

/// A function of the reader's own that costs nothing runs before a view's condition, unless the view is a barrier. Then
/// it would see the rows that the view leaves out.
@Suite(.ownThreads) struct HiddenRowTests {
    @Test func views_always_areBarriers() async throws {
        let fixture = try await F()
        let views = "select relname from pg_class where relnamespace = 'nudged'::regnamespace and relkind = 'v'"
        #expect(try fixture.lines(views).count >= 9)
        #expect(
            try fixture.lines("\(views) and not coalesce('security_barrier=true' = any (reloptions), false)") == []
        )
    }

    @Test(arguments: [("device", "token"), ("stale_token", "device_hash")])
    func rows_whenAViewLeavesThemOut_areSeenByNoFunctionOfTheReader(view: String, column: String) async throws {
        let fixture = try await F()
        let reader = "reader_\(fixture.name)"
        try fixture.sql(
            """
            create role \(reader);
            grant usage on schema nudged to \(reader); grant select on nudged.\(view) to \(reader);
            insert into public.push_tokens (user_id, device_token, platform)
            values (\(F.quoted(1)), 'shown', 'ios'), (\(F.quoted(1)), 'hidden', 'android');
            insert into nudged.delivery (user_id, kind, key, device_hash, outcome, status, attempted_at, sweep_id)
            select \(F.quoted(1)), 'message', 'k', v.hash, 'rejected', v.status, now(), gen_random_uuid()
            from (values ('shown', 410), ('hidden', 400)) as v (hash, status);
            """
        )
        let seen = try fixture.lines(
            """
            set enable_indexscan = off; set enable_bitmapscan = off; set role \(reader);
            create function pg_temp.peek(value text) returns boolean language plpgsql cost 0.0000001 as $f$
            begin
                perform set_config('test.seen', concat_ws(' ', current_setting('test.seen', true), value), false);
                return true;
            end $f$;
            select count(*) from nudged.\(view) where pg_temp.peek(\(column));
            select current_setting('test.seen')
            """
        )
        #expect(seen == ["1", "shown"])
    }
}
