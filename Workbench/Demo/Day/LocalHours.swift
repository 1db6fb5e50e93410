/// Pushes by the recipients' local hour, and how many people are in their quiet hours then.
struct LocalHours: Sendable, Equatable {
    /// Pushes per hour; 24 numbers.
    private(set) var sends = [Int](repeating: 0, count: 24)
    /// People in their own quiet hours at half past each hour; 24 numbers.
    private(set) var asleep = [Int](repeating: 0, count: 24)
    /// People who can get check-ins.
    private(set) var people = 0
    /// Pushes in their recipients' own quiet hours, per hour.
    private(set) var wokenByHour = [Int](repeating: 0, count: 24)
    /// Pushes to unknown tokens, or to people without a known local time. They count as woken.
    private(set) var unplaced = 0

    init() {}

    init(sends: [Int], asleep: [Int], people: Int, woken: [Int]) {
        self.sends = sends
        self.asleep = asleep
        self.people = people
        wokenByHour = woken
    }

    /// Pushes that came in their recipients' own quiet hours, or may have.
    var woken: Int { wokenByHour.reduce(unplaced, +) }

    /// Pushes between 22:00 and 08:00, to people with other quiet hours.
    var sendsInUsualNight: Int {
        (0..<24).reduce(0) { $0 + (Night.usual.holds(minute: $1 * 60) ? sends[$1] : 0) }
    }

    init(pushes: [PushLog], directory: Directory) {
        for recipient in directory.recipients where recipient.person.isServed && recipient.zone != nil {
            people += 1
            for hour in 0..<24 where recipient.person.night.holds(minute: hour * 60 + 30) { asleep[hour] += 1 }
        }
        for push in pushes { add(push, directory) }
    }

    private mutating func add(_ push: PushLog, _ directory: Directory) {
        let instant = directory.instant(push.minute)
        guard let recipient = directory.recipient(of: push.token), let minute = recipient.localMinute(at: instant)
        else {
            unplaced += 1
            return
        }
        sends[minute / 60] += 1
        if recipient.isAsleep(at: instant, minute: push.minute) { wokenByHour[minute / 60] += 1 }
    }
}
