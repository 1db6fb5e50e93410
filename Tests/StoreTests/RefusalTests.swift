import TestSupport
import Testing

@testable import Core

/// What `nudged_api` refuses, and by which name: an invalid argument is state 22023, and the hint says what to do.
@Suite(.ownThreads) struct RefusalTests {
    /// A call, and the beginning of message and hint. USER1 is a user. A reminder has `defaults` besides.
    private static let refused = #"""
        send(null, 'a', 'b') ~ user_id is null
        send(USER1, '', null) ~ title and body are both empty
        send(USER1, ' ', E'\n\t') ~ title and body are both empty
        send(USER1, U&'\00A0\3000\2007', U&'\200B\FEFF\00AD\2060\202F') ~ title and body are both empty
        send(USER1, 'a', 'b', data => '[1]') ~ data is of type array
        send(USER1, 'a', 'b', data => '{"aps": 1}') ~ data holds "aps" or "action"
        send(USER1, 'a', 'b', data => '{"action": "x"}') ~ data holds "aps" or "action"
        send(USER1, 'a', 'b', data => '{"conversation_id": "12"}') ~ data.conversation_id is no UUID
        send(USER1, 'a', 'b', data => '{"conversation_id": 12}') ~ data.conversation_id is no UUID
        send(USER1, 'a', 'b', data => '{"domain": 12}') ~ data.domain is no text
        send(USER1, 'a', 'b', data => '{"image_url": "x"}') ~ data holds "image_url"
        send(USER1, 'a', 'b', expires_at => now()) ~ expires_at is in the past
        send(USER1, 'a', 'b', expires_at => '12000-01-01') ~ expires_at is after the year 9999
        send(USER1, 'a', 'b', category => '') ~ category has 0 bytes
        send(USER1, 'a', 'b', thread_id => repeat('x', 256)) ~ thread_id has 256 bytes
        send(USER1, 'a', 'b', collapse_key => '') ~ collapse_key has 0 bytes
        send(USER1, 'a', 'b', dedupe_key => repeat('x', 256)) ~ dedupe_key has 256 bytes
        send(USER1, 'a', 'b', dedupe_key => 'nudged.send_test 1') ~ dedupe_key begins with "nudged."
        send(USER1, 'a', repeat('x', 4096)) ~ the payload has 4183 bytes
        send(USER1, 'a', 'b', deliver_at => now() + interval '1 day', deliver_local => '2030-01-01') ~ deliver_at and deliver_local are both given
        send(USER1, 'a', 'b', deliver_at => now() - interval '1 second') ~ deliver_at is in the past
        send(USER1, 'a', 'b', deliver_at => now() + interval '367 days') ~ deliver_at is more than 366 days away
        send(USER1, 'a', 'b', deliver_at => '-infinity') ~ deliver_at is more than 366 days away
        send(USER1, 'a', 'b', deliver_local => 'infinity') ~ deliver_local is more than 366 days away
        send(USER1, 'a', 'b', deliver_local => '294276-12-31 23:00') ~ deliver_local is more than 366 days away
        send(USER1, 'a', 'b', deliver_local => now()::timestamp - interval '2 days') ~ deliver_local is in the past in every zone
        send(USER1, 'a', 'b', deliver_at => now() + interval '2 hours', expires_at => now() + interval '1 hour') ~ expires_at is not after deliver_at
        send(USER1, 'a', 'b', deliver_local => now()::timestamp + interval '1 day', expires_at => now() + interval '1 day') ~ expires_at is not after deliver_local in every zone
        send_many('[{"user_id": "00000000-0000-4000-8000-000000000001", "title": "a", "deliver_local": "planted"}]'::jsonb) ~ message 0: deliver_local is no wall time
        send_many('[{"user_id": "00000000-0000-4000-8000-000000000001", "title": "a", "apns": {"badge": -1}}]'::jsonb) ~ message 0: apns.badge is not valid
        send_many('{}'::jsonb) ~ messages is no array
        send_many('[1]'::jsonb) ~ message 0 is no object
        send_many('[{"titel": 1}]'::jsonb) ~ message 0 has a member titel
        send_many('[{"x\ny": 1}]'::jsonb) ~ message 0 has a member that it does not know
        send_many(jsonb_build_array(jsonb_build_object(repeat('x', 41), 1))) ~ message 0 has a member that it does not know
        send_many('[{"user_id": "00000000-0000-4000-8000-000000000001", "title": "a", "dedupe_key": "nudged.x"}]'::jsonb) ~ message 0: dedupe_key begins with "nudged."
        send_many(null::uuid[], 'a', 'b') ~ user_ids is null
        send_many('{}'::uuid[], '', null) ~ title and body are both empty
        send_many('[{"user_id": "00000000-0000-4000-8000-000000000001", "title": "a"}, {"user_id": "planted"}]'::jsonb) ~ message 1: user_id is no UUID
        send_many('[{"urgent": "planted"}]'::jsonb) ~ message 0: urgent is no boolean
        send_many('[{"expires_at": "2026-13-01"}]'::jsonb) ~ message 0: expires_at is no instant
        send_many('[{"expires_at": "planted"}]'::jsonb) ~ message 0: expires_at is no instant
        send_many(array[USER1, null]::uuid[], 'a', 'b') ~ message 1: user_id is null
        cancel(null) ~ id is null / Give the id that nudged_api.send returned.
        cancel_messages() ~ no argument is given
        cancel_messages(user_id => USER1) ~ no argument is given
        send(USER1, 'a', 'b', apns => '[1]') ~ apns is of type array / Give a JSON object such as {"badge": 1}.
        send(USER1, 'a', 'b', apns => '{"interruption-level": "active"}') ~ apns has a member interruption-level / Did you mean interruption_level?
        send(USER1, 'a', 'b', apns => '{"bagde": 1}') ~ apns has a member bagde / Did you mean badge?
        send(USER1, 'a', 'b', apns => '{"badge": 1.5}') ~ apns.badge is not valid / Wanted: an integer from 0
        send(USER1, 'a', 'b', apns => '{"badge": 2147483648}') ~ apns.badge is not valid
        send(USER1, 'a', 'b', apns => '{"badge": "1"}') ~ apns.badge is not valid
        send(USER1, 'a', 'b', apns => '{"badge": 1e200}') ~ apns holds a number of more than 100 digits
        send(USER1, 'a', 'b', apns => '{"sound": ""}') ~ apns.sound is not valid / Wanted: default, none
        send(USER1, 'a', 'b', apns => '{"interruption_level": "critical"}') ~ apns.interruption_level is not valid
        send(USER1, 'a', 'b', apns => '{"relevance_score": 1.5}') ~ apns.relevance_score is not valid
        send(USER1, 'a', 'b', apns => '{"mutable_content": 1}') ~ apns.mutable_content is not valid
        send(USER1, 'a', 'b', apns => '{"image_url": "http://example.com/a"}') ~ apns.image_url is not valid
        send(USER1, 'a', 'b', apns => '{"image_url": "https://example.com/a", "mutable_content": false}') ~ apns.mutable_content is false beside apns.image_url
        send(USER1, 'a', 'b', apns => '{"loc_args": ["a"]}') ~ apns.loc_args is given without apns.loc_key
        send(USER1, 'a', '', apns => '{"loc_key": "K", "loc_args": [1]}') ~ apns.loc_args is not valid
        send(USER1, 'a', 'b', apns => '{"loc_key": "K"}') ~ body and apns.loc_key are both given
        send(USER1, 'a', 'b', apns => '{"title_loc_key": "K"}') ~ title and apns.title_loc_key are both given
        send(USER1, 'a', 'b', apns => '{"subtitle": "s", "subtitle_loc_key": "K"}') ~ apns.subtitle and apns.subtitle_loc_key are both given
        send(USER1, '', '', apns => '{"subtitle": "s"}') ~ title and body are both empty
        send(USER1, 'a', 'b', category => 'x', apns => '{"category": "y"}') ~ category and apns.category are both given
        send(USER1, 'a', 'b', data => '{}', apns => '{"data": {}}') ~ data and apns.data are both given
        send(USER1, 'a', 'b', apns => '{"data": {"aps": 1}}') ~ apns.data holds "aps" or "action"
        send(USER1, 'a', 'b', apns => '{"data": [1]}') ~ apns.data is of type array
        send(USER1, 'a', 'b', urgent => true, apns => '{"interruption_level": "passive"}') ~ apns.interruption_level is not time-sensitive, and urgent is true
        send(USER1, 'a', '', apns => '{"content_available": true}') ~ title is given with apns.content_available
        send(USER1, '', '', apns => '{"content_available": true, "badge": 1}') ~ apns.badge is given with apns.content_available
        send(USER1, 'a', 'b', apns => jsonb_build_object('subtitle', repeat('x', 4100))) ~ the payload has 4202 bytes / Apple accepts 4096 bytes for the whole payload. Shorten apns.
        send(USER1, 'a', repeat('x', 4096)) ~ the payload has 4183 bytes / Apple accepts 4096 bytes for the whole payload. Shorten body.
        preview(USER1, 'a', 'b', apns => '{"bagde": 1}') ~ apns has a member bagde / Did you mean badge?
        preview(USER1, 'a', 'b', data => '[]') ~ data is of type array
        preview(USER1, '', ' ') ~ title and body are both empty
        preview(USER1, 'a', repeat('x', 4096)) ~ the payload has 4183 bytes
        preview(USER1, 'a', 'b', expires_at => now() - interval '1 minute') ~ expires_at is in the past
        preview(USER1, 'a', 'b', deliver_at => now() - interval '1 minute') ~ deliver_at is in the past
        preview(USER1, 'a', 'b', deliver_local => '2000-01-01') ~ deliver_local is in the past in every zone
        preview(USER1, 'a', 'b', category => '') ~ category has 0 bytes
        cancel_messages(category => '') ~ category has 0 bytes
        cancel_messages(dedupe_prefix => '') ~ dedupe_prefix has 0 bytes
        cancel_messages(dedupe_prefix => repeat('x', 256)) ~ dedupe_prefix has 256 bytes
        cancel_reminders(null, '7') ~ subject_type or subject_id is null / Name what the reminders are about, as nudged_api.set_reminder was given it.
        cancel_reminders('task', null) ~ subject_type or subject_id is null / Name what the reminders are about, as nudged_api.set_reminder was given it.
        snooze(gen_random_uuid(), null) ~ until is null, in the past or more than 100 years away / Give a time in the future, within 100 years.
        snooze(gen_random_uuid(), 'infinity') ~ until is null, in the past or more than 100 years away / Give a time in the future, within 100 years.
        snooze(gen_random_uuid(), now() - interval '1 second') ~ until is null, in the past or more than 100 years away / Give a time in the future, within 100 years.
        snooze(gen_random_uuid(), now() + interval '101 years') ~ until is null, in the past or more than 100 years away / Give a time in the future, within 100 years.
        snooze(gen_random_uuid(), '-infinity') ~ until is null, in the past or more than 100 years away / Give a time in the future, within 100 years.
        snooze(gen_random_uuid(), '294276-12-31 23:59:59.999999Z') ~ until is null, in the past or more than 100 years away / Give a time in the future, within 100 years.
        snooze(null, now()) ~ id is null / Give the reminder's id, as the call that set it returned it.
        forget(null) ~ user_id is null / Name the user who is to be erased.
        outcome_for(null, gen_random_uuid()) ~ user_id is null
        outcome_for(USER1, null) ~ id is null
        outcome_for(USER1, gen_random_uuid(), 'x') ~ after is not a place
        history_for(USER1, '1 2') ~ after is not a place
        history_for(USER1, '99999999999999999999 a b c') ~ after is not a place
        export_for(USER1, '4 x') ~ after is not a place
        export_for(USER1, '11 x') ~ after is not a place
        waiting_for(USER1, null, 0) ~ most is not between 1 and 1000
        list_reminders_for(USER1, null, 1001) ~ most is not between 1 and 1000
        history_for(USER1, null, null) ~ most is not between 1 and 1000
        has_pending_for(USER1, 'task') ~ subject_id is null
        has_pending_for(USER1, repeat('x', 101), 'y') ~ subject_type is longer than 100 bytes
        set_reminder(subject_type => '') ~ subject_type is empty or longer than 100 bytes / Name what the reminder is about by its kind, such as task.
        set_reminder(subject_type => null) ~ subject_type is empty or longer than 100 bytes / Name what the reminder is about by its kind, such as task.
        set_reminder(subject_type => repeat('x', 101)) ~ subject_type is empty or longer than 100 bytes / Name what the reminder is about by its kind, such as task.
        set_reminder(subject_id => '') ~ subject_id is empty or longer than 200 bytes / Give the id of what the reminder is about, as text.
        set_reminder(subject_id => null) ~ subject_id is empty or longer than 200 bytes / Give the id of what the reminder is about, as text.
        set_reminder(subject_id => repeat('é', 101)) ~ subject_id is empty or longer than 200 bytes / Give the id of what the reminder is about, as text.
        set_reminder(author => null) ~ author is null / Name the user who sets the reminder.
        set_reminder(author => '00000000-0000-4000-8000-00000000ffff') ~ author is nobody in nudged.recipient or nudged.device / Name a user of the app, and write their profile first.
        set_reminder(title => '', body => null) ~ title and body are both empty / Phones do not show a push without text. Give a title or a body.
        set_reminder(title => E' \n', body => '  ') ~ title and body are both empty / Phones do not show a push without text. Give a title or a body.
        set_reminder(title => repeat('x', 5000)) ~ the payload has 5135 bytes / Apple accepts 4096 bytes for the whole payload. Shorten title.
        set_reminder(apns => '{"content_available": true}') ~ apns.content_available is true / Only a message can be a background push: use nudged_api.send.
        set_reminder(apns => '{"data": {"subject_id": 1}}') ~ apns.data holds "subject_type" or "subject_id" / The payload has the reminder's own: give those members other names.
        set_reminder(due_at => null) ~ due_at and due_local are both null / Give an instant (due_at), or a wall time that each recipient gets in their own zone (due_local).
        set_reminder(due_local => '2040-01-02 09:00') ~ due_at and due_local are both given / Give an instant (due_at), or a wall time that each recipient gets in their own zone (due_local).
        set_reminder(due_at => 'infinity') ~ due_at is more than 100 years away / Give a time within 100 years.
        set_reminder(due_at => '-infinity') ~ due_at is more than 100 years away / Give a time within 100 years.
        set_reminder(due_at => '3000-01-01Z') ~ due_at is more than 100 years away / Give a time within 100 years.
        set_reminder(due_at => null, due_local => '294276-12-31 23:00') ~ due_local is more than 100 years away / Give a time within 100 years.
        set_reminder(due_at => '294276-12-31 23:59:59.999999Z') ~ due_at is more than 100 years away / Give a time within 100 years.
        set_reminder(due_at => null, due_local => '294276-12-31 23:59:59.999999') ~ due_local is more than 100 years away / Give a time within 100 years.
        set_reminder(due_at => '4714-11-24 00:00Z BC') ~ due_at is in the past / Give a time in the future.
        set_reminder(title => U&'\00A0\3000', body => U&' \200B\FEFF\2003') ~ title and body are both empty / Phones do not show a push without text. Give a title or a body.
        set_reminder(due_at => now() - interval '1 second') ~ due_at is in the past / Give a time in the future.
        set_reminder(due_at => null, due_local => (now() at time zone 'UTC') - interval '12 hours 1 second') ~ due_local is in the past in every zone / Give a wall time in the future.
        set_reminder(due_at => null, due_local => (now() at time zone 'Asia/Tokyo') - interval '1 second', timezone => 'Asia/Tokyo') ~ due_local is in the past in timezone / Give a wall time in the future.
        set_reminder(audience => 'all') ~ audience is neither me nor everyone / Use me for the author, or everyone for the members in nudged.subject_member when it is due.
        set_reminder(audience => null) ~ audience is neither me nor everyone / Use me for the author, or everyone for the members in nudged.subject_member when it is due.
        set_reminder(timezone => 'Mars/Base') ~ timezone is no zone that the server knows / Give a name in its exact spelling, such as Europe/Berlin, or null for each recipient's own zone.
        set_reminder(timezone => 'europe/berlin') ~ timezone is no zone that the server knows / Give a name in its exact spelling, such as Europe/Berlin, or null for each recipient's own zone.
        set_reminder(recurrence => 'FREQ=WEEKLY;BYDAY=MON') ~ recurrence.BYDAY: found another value / Wanted: weekdays, MO to SU, with commas between them; with FREQ=MONTHLY also 1MO to 5MO and -1MO (the last) to -5MO.
        set_reminder(recurrence => '') ~ recurrence: found nothing / Wanted: a rule such as FREQ=WEEKLY;BYDAY=MO.
        set_reminder(recurrence => 'FREQ=DAILY;UNTIL=20400102T085959Z') ~ recurrence.UNTIL is before the reminder is due / Give a later UNTIL, or none.
        set_reminder(recurrence => 'freq=daily;until=20391231') ~ recurrence.UNTIL is before the reminder is due / Give a later UNTIL, or none.
        set_reminder(due_at => null, due_local => '2040-01-02 09:00', recurrence => 'FREQ=DAILY;UNTIL=20400101') ~ recurrence.UNTIL is before the reminder is due / Give a later UNTIL, or none.
        set_reminder(due_at => null, due_local => '2040-01-02 09:00', recurrence => 'FREQ=DAILY;UNTIL=20400102T085959') ~ recurrence.UNTIL is before the reminder is due / Give a later UNTIL, or none.
        set_reminder(due_at => null, due_local => '2040-01-02 09:00', recurrence => 'FREQ=DAILY;UNTIL=20400101T065959Z') ~ recurrence.UNTIL is before the reminder is due / Give a later UNTIL, or none.
        """#

    /// The same, and yet in time: only a zone could tell.
    private static let taken = #"""
        set_reminder(recurrence => 'FREQ=DAILY;UNTIL=20400102T090000Z')
        set_reminder(recurrence => 'FREQ=DAILY;UNTIL=20400101')
        set_reminder(due_at => null, due_local => '2040-01-02 09:00', recurrence => 'FREQ=DAILY;UNTIL=20400102')
        set_reminder(due_at => null, due_local => '2040-01-02 09:00', recurrence => 'FREQ=DAILY;UNTIL=20400102T090000')
        set_reminder(due_at => null, due_local => '2040-01-02 09:00', recurrence => 'FREQ=DAILY;UNTIL=20400101T070000Z')
        set_reminder(due_at => now())
        set_reminder(due_at => null, due_local => (now() at time zone 'UTC') - interval '11 hours 59 minutes')
        set_reminder(due_at => null, due_local => (now() at time zone 'America/New_York') + interval '1 second', timezone => 'America/New_York')
        set_reminder(title => null)
        set_reminder(body => '')
        set_reminder(subject_type => repeat('x', 100))
        set_reminder(subject_id => repeat('é', 100))
        set_reminder(timezone => 'UTC')
        set_reminder(timezone => 'America/Port-au-Prince')
        """#

    private static let defaults = [
        "subject_type": "'task'", "subject_id": "'7'", "author": "USER1", "title": "'Water'", "body": "'the plants'",
        "due_at": "'2040-01-02 09:00Z'",
    ]

    private static func sql(_ line: Substring) -> String {
        var call = String(line)
        if call.hasPrefix("set_reminder("), let end = call.lastIndex(of: ")") {
            let missing = defaults.filter { !call.contains("\($0.key) => ") }.map { ", \($0.key) => \($0.value)" }
            call.insert(contentsOf: missing.joined(), at: end)
        }
        return "select nudged_api." + call.replacing("USER1", with: F.quoted(1))
    }

    @Test func calls_whenAnArgumentIsBad_areRefusedByItsName() async throws {
        let fixture = try await F.withUsers()
        for line in Self.refused.split(separator: "\n") {
            guard let mark = line.firstRange(of: " ~ ") else { continue }
            let (call, fault) = (line[..<mark.lowerBound], line[mark.upperBound...])
            let refusal = try fixture.refusal(Self.sql(call))
            let expected = "22023 nudged_api.\(call.prefix { $0 != "(" }): \(fault)"
            #expect(refusal.hasPrefix(expected), "\(call): \(refusal)")
            let hint = refusal.split(separator: " / ", maxSplits: 1).dropFirst().first ?? ""
            #expect(hint.count > 10, "\(call): it says what to do")
            #expect(!refusal.contains("planted"), "\(call)")
        }
        let written =
            "select (select count(*) from nudged.message), (select count(*) from nudged.reminder), (select count(*) from nudged.preview)"
        #expect(try fixture.sql(written) == "0|0|0")
    }

    @Test func reminder_whenItIsJustInTime_isTaken() async throws {
        let fixture = try await F.withUsers()
        for call in Self.taken.split(separator: "\n") { #expect(try fixture.refusal(Self.sql(call)) == "", "\(call)") }
    }
}
