/// A message for the subscribers of a topic.
struct MQTTMessage: Sendable, Hashable {
    var topic: String
    var payload: [UInt8]
    var isRetained = false

    init(_ topic: String, _ payload: [UInt8], isRetained: Bool = false) {
        (self.topic, self.payload, self.isRetained) = (topic, payload, isRetained)
    }

    init(_ topic: String, _ text: String, isRetained: Bool = false) {
        self.init(topic, Array(text.utf8), isRetained: isRetained)
    }
}

/// The reason for which messages did not arrive.
enum MQTTFailure: Error, Sendable, Hashable {
    /// There is no connection now.
    case away(reason: String)
    /// The broker refused a message permanently, perhaps because it takes only smaller ones.
    case refused(reason: String, isTooLarge: Bool = false)
}
