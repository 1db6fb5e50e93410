package import Postgres

/// A statement of `sql/queries`, embedded at build time. Each file has one line below.
package struct Query: Sendable, Hashable {
    /// The file's name, for errors.
    package let name: String
    /// The file's text, decoded once.
    package let sql: String

    private init(_ name: String, _ bytes: [UInt8]) {
        self.name = name
        sql = String(decoding: bytes, as: UTF8.self)
    }

    /// The statement with its parameters.
    package func callAsFunction(_ parameters: [Parameter] = []) -> Statement {
        Statement(name, sql: sql, parameters: parameters)
    }

    package static func == (one: Query, other: Query) -> Bool { one.name == other.name }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Query {
    private typealias SQL = PackageResources

    package static let analysed = Query("analysed", SQL.analysed_sql)
    package static let answerPreview = Query("answer_preview", SQL.answer_preview_sql)
    package static let claimDevices = Query("claim_devices", SQL.claim_devices_sql)
    package static let claimDevicesBounded = Query("claim_devices_bounded", SQL.claim_devices_bounded_sql)
    package static let claimDevicesDistributed = Query("claim_devices_distributed", SQL.claim_devices_distributed_sql)
    package static let claimMessages = Query("claim_messages", SQL.claim_messages_sql)
    package static let claimMessagesBounded = Query("claim_messages_bounded", SQL.claim_messages_bounded_sql)
    package static let claimMessagesDistributed = Query(
        "claim_messages_distributed",
        SQL.claim_messages_distributed_sql
    )
    package static let claimPeople = Query("claim_people", SQL.claim_people_sql)
    package static let claimProfiles = Query("claim_profiles", SQL.claim_profiles_sql)
    package static let claimReminders = Query("claim_reminders", SQL.claim_reminders_sql)
    package static let claimRemindersBounded = Query("claim_reminders_bounded", SQL.claim_reminders_bounded_sql)
    package static let claimRemindersDistributed = Query(
        "claim_reminders_distributed",
        SQL.claim_reminders_distributed_sql
    )
    package static let clock = Query("clock", SQL.clock_sql)
    package static let closeIntents = Query("close_intents", SQL.close_intents_sql)
    package static let countUsers = Query("count_users", SQL.count_users_sql)
    package static let daemonGone = Query("daemon_gone", SQL.daemon_gone_sql)
    package static let daemons = Query("daemons", SQL.daemons_sql)
    package static let deadMembers = Query("dead_members", SQL.dead_members_sql)
    package static let doctorAppTables = Query("doctor_app_tables", SQL.doctor_app_tables_sql)
    package static let doctorBloat = Query("doctor_bloat", SQL.doctor_bloat_sql)
    package static let doctorColumns = Query("doctor_columns", SQL.doctor_columns_sql)
    package static let doctorHolders = Query("doctor_holders", SQL.doctor_holders_sql)
    package static let doctorOpenTables = Query("doctor_open_tables", SQL.doctor_open_tables_sql)
    package static let doctorPartitions = Query("doctor_partitions", SQL.doctor_partitions_sql)
    package static let doctorRights = Query("doctor_rights", SQL.doctor_rights_sql)
    package static let doctorServer = Query("doctor_server", SQL.doctor_server_sql)
    package static let doctorTriggers = Query("doctor_triggers", SQL.doctor_triggers_sql)
    package static let doctorWriter = Query("doctor_writer", SQL.doctor_writer_sql)
    package static let doctorZones = Query("doctor_zones", SQL.doctor_zones_sql)
    package static let drain = Query("drain", SQL.drain_sql)
    package static let dueFloor = Query("due_floor", SQL.due_floor_sql)
    package static let dueFanOuts = Query("due_fan_outs", SQL.due_fan_outs_sql)
    package static let endMember = Query("end_member", SQL.end_member_sql)
    package static let endMessages = Query("end_messages", SQL.end_messages_sql)
    package static let endReminders = Query("end_reminders", SQL.end_reminders_sql)
    package static let eraseDeparted = Query("erase_departed", SQL.erase_departed_sql)
    package static let excessRights = Query("excess_rights", SQL.excess_rights_sql)
    package static let forgetDevices = Query("forget_devices", SQL.forget_devices_sql)
    package static let freePeople = Query("free_people", SQL.free_people_sql)
    package static let heartbeat = Query("heartbeat", SQL.heartbeat_sql)
    package static let hidden = Query("hidden", SQL.hidden_sql)
    package static let holdMember = Query("hold_member", SQL.hold_member_sql)
    package static let holdMessages = Query("hold_messages", SQL.hold_messages_sql)
    package static let holdMessagesDistributed = Query("hold_messages_distributed", SQL.hold_messages_distributed_sql)
    package static let intent = Query("intent", SQL.intent_sql)
    package static let join = Query("join", SQL.join_sql)
    package static let liveReminders = Query("live_reminders", SQL.live_reminders_sql)
    package static let livingDaemons = Query("living_daemons", SQL.living_daemons_sql)
    package static let lockMember = Query("lock_member", SQL.lock_member_sql)
    package static let maintainDelivery = Query("maintain_delivery", SQL.maintain_delivery_sql)
    package static let membership = Query("membership", SQL.membership_sql)
    package static let migrationsApplied = Query("migrations_applied", SQL.migrations_applied_sql)
    package static let migrationsNeeded = Query("migrations_needed", SQL.migrations_needed_sql)
    package static let noteAnalysed = Query("note_analysed", SQL.note_analysed_sql)
    package static let moveDevices = Query("move_devices", SQL.move_devices_sql)
    package static let noteEnvironments = Query("note_environments", SQL.note_environments_sql)
    package static let openPreviews = Query("open_previews", SQL.open_previews_sql)
    package static let orphanIntents = Query("orphan_intents", SQL.orphan_intents_sql)
    package static let orphans = Query("orphans", SQL.orphans_sql)
    package static let ownIntents = Query("own_intents", SQL.own_intents_sql)
    package static let pause = Query("pause", SQL.pause_sql)
    package static let pausedKinds = Query("paused_kinds", SQL.paused_kinds_sql)
    package static let pausedUsers = Query("paused_users", SQL.paused_users_sql)
    package static let pauses = Query("pauses", SQL.pauses_sql)
    package static let postpone = Query("postpone", SQL.postpone_sql)
    package static let probeDevices = Query("probe_devices", SQL.probe_devices_sql)
    package static let probeMessages = Query("probe_messages", SQL.probe_messages_sql)
    package static let probeProfile = Query("probe_profile", SQL.probe_profile_sql)
    package static let probeReminders = Query("probe_reminders", SQL.probe_reminders_sql)
    package static let pruneMessageKeys = Query("prune_message_keys", SQL.prune_message_keys_sql)
    package static let prunePreviews = Query("prune_previews", SQL.prune_previews_sql)
    package static let pruneReminders = Query("prune_reminders", SQL.prune_reminders_sql)
    package static let quarantine = Query("quarantine", SQL.quarantine_sql)
    package static let readDeliveries = Query("read_deliveries", SQL.read_deliveries_sql)
    package static let readDue = Query("read_due", SQL.read_due_sql)
    package static let readIntents = Query("read_intents", SQL.read_intents_sql)
    package static let readLeftOut = Query("read_left_out", SQL.read_left_out_sql)
    package static let readOwner = Query("read_owner", SQL.read_owner_sql)
    package static let readTouches = Query("read_touches", SQL.read_touches_sql)
    package static let readUsers = Query("read_users", SQL.read_users_sql)
    package static let readWaiting = Query("read_waiting", SQL.read_waiting_sql)
    package static let recordDeliveries = Query("record_deliveries", SQL.record_deliveries_sql)
    package static let recover = Query("recover", SQL.recover_sql)
    package static let remaining = Query("remaining", SQL.remaining_sql)
    package static let renew = Query("renew", SQL.renew_sql)
    package static let reportDeliveries = Query("report_deliveries", SQL.report_deliveries_sql)
    package static let reportHours = Query("report_hours", SQL.report_hours_sql)
    package static let reportSweeps = Query("report_sweeps", SQL.report_sweeps_sql)
    package static let restoreIntents = Query("restore_intents", SQL.restore_intents_sql)
    package static let restoreMessages = Query("restore_messages", SQL.restore_messages_sql)
    package static let restoreNewcomers = Query("restore_newcomers", SQL.restore_newcomers_sql)
    package static let restoreReminders = Query("restore_reminders", SQL.restore_reminders_sql)
    package static let restoreTouches = Query("restore_touches", SQL.restore_touches_sql)
    package static let restoreUsers = Query("restore_users", SQL.restore_users_sql)
    package static let resume = Query("resume", SQL.resume_sql)
    package static let resumed = Query("resumed", SQL.resumed_sql)
    package static let retention = Query("retention", SQL.retention_sql)
    package static let rolesWanting = Query("roles_wanting", SQL.roles_wanting_sql)
    package static let setUpRelations = Query("set_up_relations", SQL.set_up_relations_sql)
    package static let setUpRole = Query("set_up_role", SQL.set_up_role_sql)
    package static let settleUsers = Query("settle_users", SQL.settle_users_sql)
    package static let fanOutAdvance = Query("fan_out_advance", SQL.fan_out_advance_sql)
    package static let fanOutDrop = Query("fan_out_drop", SQL.fan_out_drop_sql)
    package static let fanOutFinish = Query("fan_out_finish", SQL.fan_out_finish_sql)
    package static let fanOutHold = Query("fan_out_hold", SQL.fan_out_hold_sql)
    package static let fanOutMember = Query("fan_out_member", SQL.fan_out_member_sql)
    package static let fanOutMembers = Query("fan_out_members", SQL.fan_out_members_sql)
    package static let fanOutRecipients = Query("fan_out_recipients", SQL.fan_out_recipients_sql)
    package static let fanOutTell = Query("fan_out_tell", SQL.fan_out_tell_sql)
    package static let fanOutWait = Query("fan_out_wait", SQL.fan_out_wait_sql)
    package static let status = Query("status", SQL.status_sql)
    package static let stuckCommits = Query("stuck_commits", SQL.stuck_commits_sql)
    package static let takeRanges = Query("take_ranges", SQL.take_ranges_sql)
    package static let templates = Query("templates", SQL.templates_sql)
    package static let touchUsers = Query("touch_users", SQL.touch_users_sql)
    package static let touchedSince = Query("touched_since", SQL.touched_since_sql)
    package static let touches = Query("touches", SQL.touches_sql)
    package static let unseenUsers = Query("unseen_users", SQL.unseen_users_sql)
    package static let versions = Query("versions", SQL.versions_sql)
    package static let waitingFanOuts = Query("waiting_fan_outs", SQL.waiting_fan_outs_sql)
    package static let wakeUsers = Query("wake_users", SQL.wake_users_sql)
    package static let withdrawIntents = Query("withdraw_intents", SQL.withdraw_intents_sql)
}
