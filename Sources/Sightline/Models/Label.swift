/// A name that a model gives to a picture or to an object in it.
public struct Label: Sendable, Hashable, Codable {
    /// The name, from the model's labels; empty if the model comes without labels.
    public var text: String
    /// The position of the label among the model's outputs.
    public var index: Int
    /// The confidence of the model, 0…1.
    public var confidence: Float

    /// A label by its parts.
    public init(text: String, index: Int, confidence: Float) {
        self.text = text
        self.index = index
        self.confidence = confidence
    }
}
