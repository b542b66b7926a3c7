extension MQTTTransport {
    /// A kind of messages.
    enum Kind: Hashable {
        case event
        case state
        case picture

        /// The number of lost connections in a row after which a message of the kind is refused.
        var mostLosses: Int {
            switch self {
            case .event: 5
            case .state: 3
            case .picture: 1
            }
        }
    }

    struct Camera {
        var connection: MQTTConnection?
        var state: CameraState?
        /// The last picture, as it was sent.
        var picture: [UInt8]?
        /// Whether the broker has the state and the picture, on this connection.
        var (hasState, hasPicture) = (false, false)
        /// The availability that the broker has, on this connection.
        var isAvailable = true
        /// Why the broker refused the availability, on this connection.
        var refusal: String?
        /// Whether the connection asked for the entities of earlier runs.
        var isSubscribed = false
        /// The topics of the entities that Home Assistant knows.
        var announced: Set<String> = []
        /// The topics of earlier runs with another prefix, or with entities for Home Assistant that are no longer wanted.
        var outdated: Set<String> = []
        /// The numbers of connections in a row that were lost with a message.
        var losses: [Kind: Int] = [:]
        /// The end of the time in which no states are sent, because connections were lost with them.
        var rest: ContinuousClock.Instant?
    }
}
