import Service

/// How the orders' Live Activities went, by the simulator's log alone.
struct OrderCheck: Sendable {
    private var started = 0
    private var neverStarted = 0
    private var updates = 0
    private var updatesAtNight = 0
    private(set) var wrong = 0

    init(pushes: [PushLog], directory: Directory) {
        let shown = Dictionary(grouping: pushes.filter { $0.event != nil }) {
            directory.recipient(of: $0.push.token)?.person.userID
        }
        for recipient in directory.recipients {
            guard let order = recipient.person.order else { continue }
            check(order, shown[order.userID] ?? []) { !recipient.isAsleep(at: $0) }
        }
    }

    private mutating func check(_ order: DemoOrder, _ shown: [PushLog], isAwake: (Int) -> Bool) {
        let (first, last) = (order.minutes[0], order.minutes[3])
        guard let start = shown.first else {
            neverStarted += 1
            // A start that waits for the end of quiet hours comes in the half hour after it.
            let wasToStart = isAwake(first) || (last - 31..<last).allSatisfy(isAwake)
            wrong += wasToStart ? 1 : 0
            return
        }
        // An update that waited for the start may be replaced by the next one.
        let steps = shown.map(\.step)
        let isWhole =
            steps == [0, 1, 2, 3] || start.minute > first && [[0, 1, 3], [0, 2, 3], [0, 3]].contains(steps)
        let isRight =
            isWhole && isAwake(start.minute)
            && shown.allSatisfy { log in
                let (event, title) = DemoOrder.events[log.step]
                return log.event == event && log.isHeard == (title != nil && isAwake(log.minute))
                    && log.push.token == (log.step == 0 ? order.startToken : order.activityToken)
            }
        started += 1
        updates += shown.count - 2
        updatesAtNight += shown.count { $0.event == "update" && !isAwake($0.minute) }
        wrong += isRight ? 0 : 1
    }

    var lines: [String] {
        guard wrong == 0 else {
            return [
                "WRONG: \(Elapsed.counted(wrong, "order", "orders")) had a Live Activity that started or was heard in "
                    + "quiet hours, or lacked its start, an update or its end"
            ]
        }
        return [
            "\(Elapsed.counted(started, "Live Activity", "Live Activities")) started, none in quiet hours, and ended; "
                + "of \(Elapsed.counted(updates, "update", "updates")), \(Elapsed.grouped(updatesAtNight)) came in quiet "
                + "hours, silently",
            "\(Elapsed.counted(neverStarted, "order", "orders")) ended before quiet hours did: no Live Activity "
                + "started",
        ]
    }
}
