import Policy
import Postgres
import TimeZones

/// Many users' histories as few long lists, each user's a piece of them: the server cuts binary arrays much faster than it reads texts.
struct HistoryLists {
    private var checkIns = Places()
    private var closed = Places()
    private var sent = Places()
    private var checkInAt: [Int64?] = []
    private var checkInSlot: [Int32?] = []
    private var closedSlot: [Int32?] = []
    private var sentAt: [Int64?] = []

    init(_ histories: [History]) {
        for history in histories {
            checkIns.append(history.checkIns.count)
            closed.append(history.closed.count)
            sent.append(history.sent.count)
            for checkIn in history.checkIns {
                checkInAt.append(checkIn.at.microseconds)
                checkInSlot.append(checkIn.slot.days)
            }
            for slot in history.closed { closedSlot.append(slot.days) }
            for instant in history.sent { sentAt.append(instant.microseconds) }
        }
    }

    /// As settle.sql takes them, from $11 on.
    var parameters: [Parameter] {
        [
            .int4Array(checkIns.first), .int4Array(checkIns.last), .int4Array(closed.first), .int4Array(closed.last),
            .int4Array(sent.first), .int4Array(sent.last),
            .timestampArray(checkInAt), .dateArray(checkInSlot), .dateArray(closedSlot), .timestampArray(sentAt),
        ]
    }

    /// Where each user's piece begins and ends, counted from 1; an empty one ends before it begins.
    private struct Places {
        var first: [Int32?] = []
        var last: [Int32?] = []
        private var end: Int32 = 0

        mutating func append(_ count: Int) {
            first.append(end + 1)
            end += Int32(clamping: count)
            last.append(end)
        }
    }
}
