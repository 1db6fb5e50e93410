import TestSupport
import Testing

import struct FoundationEssentials.UUID

@testable import Demo

@Suite(.ownThreads) struct AgreementTests {
    private let ids = (0..<4).map { _ in UUID() }

    @Test func agreement_whenBothAreEqual() {
        let agreement = Agreement(accepted: ids, recorded: ids.reversed(), unknown: [])
        #expect(agreement.holds)
        #expect(agreement.text == "simulator and database agree: 4 pushes accepted, none twice, none missing")
    }

    @Test func agreement_whenOneIsMissing() {
        let inRecord = Agreement(accepted: ids, recorded: Array(ids.dropLast()), unknown: [])
        #expect(!inRecord.holds && inRecord.missingInRecord == 1)
        #expect(inRecord.text == "simulator and database DISAGREE: 3 in both, 1 accepted but not in the database")
        let atApple = Agreement(accepted: Array(ids.dropFirst()), recorded: ids, unknown: [])
        #expect(!atApple.holds && atApple.missingAtApple == 1)
        #expect(atApple.text == "simulator and database DISAGREE: 3 in both, 1 in the database but never accepted")
    }

    @Test func agreement_whenOneIsTwice() {
        let twice = [ids[0]] + ids
        #expect(!Agreement(accepted: twice, recorded: ids, unknown: []).holds)
        #expect(!Agreement(accepted: ids, recorded: twice, unknown: []).holds)
        #expect(Agreement(accepted: twice, recorded: ids, unknown: []).text.hasSuffix("4 in both, 1 twice"))
    }

    @Test func agreement_whenOneIsUnknown() {
        let agreement = Agreement(accepted: ids, recorded: Array(ids.dropLast()), unknown: [ids[3]])
        #expect(agreement.holds)
        #expect(
            agreement.text
                == "simulator and database agree: 4 pushes accepted, 1 of them recorded as unknown, none twice, none missing"
        )
    }
}
