public import Foundation
import Sightline

/// A name that a model gives to a picture. (`MLKImageLabel`)
public final class ImageLabel: NSObject, Sendable {
    /// The name, from the model's labels; empty if the model comes without labels.
    public let text: String
    /// The position of the label among the model's outputs.
    public let index: Int
    /// How sure the model is, 0…1.
    public let confidence: Float

    init(_ label: Label) {
        text = label.text
        index = label.index
        confidence = label.confidence
    }
}
