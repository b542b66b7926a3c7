import HTTPServing

/// The schemas of checks of health.
extension Schema {
    static let health = fields([
        "status": .constant("alive")
    ]).named("Health")

    static let readiness = fields([
        "status": .choice(
            ["ready", "degraded", "unavailable"],
            "`degraded`: the hub serves its models but cannot validate new ones."
        ),
        "problems": .list("Sentences for the operator.", of: .text()),
    ]).named("Readiness")
}
