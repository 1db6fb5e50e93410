import Testing

@testable import Service

@Suite struct HeartbeatPaceTests {
    @Test func call_isBegunAtMostOnceAnInterval() {
        var pace = HeartbeatPace(interval: 60_000)
        let begun = ([5, 60_004, 60_005, 60_006] as [Int64]).map { now in
            let isBegun = pace.begin(now: now)
            if isBegun { _ = pace.end(fault: nil) }
            return isBegun
        }
        #expect(begun == [true, false, true, false])
    }

    @Test func call_whileOneIsUnderWay_isNotBegun() {
        var pace = HeartbeatPace(interval: 1000)
        let begun = ([0, 10_000] as [Int64]).map { pace.begin(now: $0) }
        #expect(begun == [true, false])
        _ = pace.end(fault: "late")
        let next = pace.begin(now: 10_000)
        #expect(next)
    }

    @Test func news_areChangesOnly() {
        var pace = HeartbeatPace(interval: 1)
        let faults: [String?] = [nil, "status 500", "status 404", nil, nil, "refused"]
        let news = faults.enumerated().map { place, fault in
            _ = pace.begin(now: Int64(place) * 10)
            return pace.end(fault: fault)
        }
        #expect(news == [nil, .failed("status 500"), nil, .answered, nil, .failed("refused")])
    }
}
