import Base
package import Postgres
import SQLFiles

/// A statement of `sql/queries`, embedded at build time. The cases are sorted as in the files, and named alike.
package enum Query: String, Sendable, CaseIterable {
    // claim.sql
    case claimPeople, dueFloor, claimProfiles, claimDevices, claimDevicesBounded, claimDevicesDistributed, claimSeen,
        claimSurfaces, claimMessages, claimMessagesBounded, claimMessagesDistributed, claimReminders,
        claimRemindersBounded, claimRemindersDistributed, liveReminders, templates, freePeople, postpone, probeProfile,
        probeDevices, probeMessages, probeReminders, analysed, noteAnalysed
    // touches.sql
    case touches, drain, touchUsers, unseenUsers
    // intents.sql
    case holdMessages, holdMessagesDistributed, intent, touchedSince, withdrawIntents, closeIntents, dropIntents,
        orphans, turns, dropOrphan, stuckCommits
    // settlement.sql
    case settle, noteEnvironments, endMessages, endReminders, forgetDevices, quarantine, moveDevices
    // fan_out.sql
    case dueFanOuts, fanOutHold, fanOutWait, fanOutMembers, fanOutRecipients, fanOutTell, fanOutAdvance, fanOutDrop,
        fanOutMember, waitingFanOuts
    // ownership.sql
    case join, renew, takeRanges, membership, holdMember, lockMember, ownIntents, orphanIntents, endMember,
        endedMembers,
        livingDaemons
    // status.sql
    case clock, heartbeat, daemonGone, daemons, status, remaining
    // upkeep.sql
    case maintainDelivery, eraseDeparted, waiting, pruneMessageKeys, pruneReminders
    // pause.sql
    case pause, pausedKinds, pauses, pausedUsers, resume, wakeUsers, resumed, countUsers
    // previews.sql
    case openPreviews, answerPreview, prunePreviews
    // restore.sql
    case restoreTouches, restoreUsers, restoreMessages, restoreReminders, restoreNewcomers, restoreIntents
    // report.sql
    case reportDeliveries, reportHours, reportOpens, reportHoldout, reportSweeps, retention
    // explain.sql
    case readUsers, readDue, readWaiting, readTouches, readOwner, readIntents, readLeftOut, readDeliveries
    // doctor.sql
    case doctorServer, doctorZones, doctorUsedZones, doctorWaitingZones, doctorTexts, doctorSeen, doctorAppTables,
        doctorColumns, doctorRights, doctorWriter, doctorOpenTables, doctorPartitions, doctorBloat, doctorHolders
    // migration.sql
    case setUpRole, setUpRelations, migrationsApplied, migrationsNeeded, bindingFaults, isMisbound, hidden,
        rolesWanting, excessRights

    /// As in its line `-- name: …`, for errors too.
    package var name: String { Self.texts[self]?.name ?? rawValue }
    /// With its comments. A case without a text is a statement that the server refuses. QueryTests find it.
    package var sql: String { Self.texts[self]?.sql ?? "" }

    package func callAsFunction(_ parameters: [Parameter] = []) -> Statement {
        Statement(name, sql: sql, parameters: parameters, preparedName: Self.texts[self]?.preparedName)
    }

    /// What each batch of a sweep runs: without preparing, planning takes a seventh of the database's time. A plan is kept
    /// while the tables grow, so each plan here must be good for empty and for large tables (PlanLongTests).
    private static let frequent: Set<Query> = [
        .claimPeople, .claimProfiles, .claimDevices, .claimSeen, .claimMessages, .claimReminders, .holdMember,
        .intent, .settle, .closeIntents, .dropIntents,
    ]

    private static let texts: [Query: (name: String, sql: String, preparedName: String?)] = {
        let written = Dictionary(statements(in: embedded), uniquingKeysWith: { first, _ in first })
        let texts = allCases.map { query in
            let name = String(query.rawValue.flatMap { $0.isUppercase ? "_" + $0.lowercased() : String($0) })
            let sql = written[name] ?? ""
            return (query, (name, sql, frequent.contains(query) ? "\(name)_\(sql.stableHash)" : nil))
        }
        return Dictionary(uniqueKeysWithValues: texts)
    }()

    static var embedded: String { String(cString: nudged_statements()) }

    /// Splits the text of files at their lines `-- name: …`, and leaves out empty lines.
    static func statements(in text: String) -> [(name: String, sql: String)] {
        let mark = "-- name: "
        var found: [(name: Substring, lines: [Substring])] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix(mark) {
                found.append((line.dropFirst(mark.count), []))
            } else if !found.isEmpty {
                found[found.count - 1].lines.append(line)
            }
        }
        return found.map { (String($0.name), $0.lines.joined(separator: "\n")) }
    }
}
