package import Policy
package import TimeZones

/// What to do for one user now. The stages of Delivery carry it out.
package enum Plan: Sendable {
    /// Nothing is sent. The reason says why no check-in is sent. → settled as it is.
    case nothing(Change, Reason, [Notice])
    /// The nudges are sent, after their intent is committed. → `Planner.settle` with their outcomes.
    case send(SendPlan, [Notice])
    /// The user's zone could not be read, so nothing was decided and the row does not change. → planned again after one
    /// to two minutes.
    case unreadable(TimeZoneError)

    /// What to log, once per value.
    package var notices: [Notice] {
        switch self {
        case .nothing(_, _, let notices), .send(_, let notices): notices
        case .unreadable: []
        }
    }

    /// What is recorded whatever the outcomes of the pushes.
    package var records: [DeliveryRecord] {
        switch self {
        case .nothing(let change, _, _): change.records
        case .send(let plan, _): plan.records
        case .unreadable: []
        }
    }
}
