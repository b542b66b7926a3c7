/// An experiment, in the hub's own API.
package struct ExperimentResource: Codable, Sendable {
    /// A value of the parameter, and its share of installations.
    package struct Variant: Codable, Sendable {
        package var variantId: String
        package var value: String?
        /// Set if the variant leaves the parameter unchanged.
        package var noChange: Bool?
        package var weight: Int

        /// Creates a variant; without a value, it leaves the parameter unchanged.
        package init(variantId: String, value: String?, weight: Int) {
            self.variantId = variantId
            self.value = value
            noChange = value == nil ? true : nil
            self.weight = weight
        }
    }

    package var experimentId: String
    /// `RUNNING` or `STOPPED`.
    package var state: String
    package var parameter: String
    package var condition: String?
    package var variants: [Variant]
    /// The share of installations that take part, from 0 to 100.
    package var exposurePercent: Double
    /// RFC 3339.
    package var startTime: String
    /// RFC 3339; absent while the experiment is running.
    package var stopTime: String?
    package var winner: String?

    /// Creates a resource.
    package init(
        experimentId: String,
        state: String,
        parameter: String,
        condition: String?,
        variants: [Variant],
        exposurePercent: Double,
        startTime: String,
        stopTime: String?,
        winner: String?
    ) {
        self.experimentId = experimentId
        self.state = state
        self.parameter = parameter
        self.condition = condition
        self.variants = variants
        self.exposurePercent = exposurePercent
        self.startTime = startTime
        self.stopTime = stopTime
        self.winner = winner
    }
}

/// All experiments of a project.
package struct ExperimentList: Codable, Sendable {
    package var experiments: [ExperimentResource]

    /// Creates a list.
    package init(experiments: [ExperimentResource]) { self.experiments = experiments }
}
