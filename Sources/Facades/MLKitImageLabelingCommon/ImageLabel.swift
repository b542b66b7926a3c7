public import Foundation
import Sightline

/// A label that a model assigns to a picture. (`MLKImageLabel`)
#if canImport(ObjectiveC)
    @objc(MLKImageLabel) @objcMembers
#endif
public final class ImageLabel: NSObject, Sendable {
    /// The name of the label; empty if the model has no labels.
    public let text: String
    /// The position of the label among the model's outputs.
    public let index: Int
    /// The confidence, 0…1.
    public let confidence: Float

    init(_ label: Label) {
        text = label.text
        index = label.index
        confidence = label.confidence
    }
}
