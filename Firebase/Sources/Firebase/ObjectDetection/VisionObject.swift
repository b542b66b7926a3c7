import FacadeSupport
import Foundation
import Sightline

/// The coarse categories of objects, with Firebase's numbers, which differ from ML Kit's.
#if canImport(ObjectiveC)
    @objc(FIRVisionObjectCategory)
#endif
public enum VisionObjectCategory: Int, Sendable {
    /// Another category, or classification is off.
    case unknown = 0
    /// Furniture, dishes, lamps and the like.
    case homeGoods = 1
    /// Clothes, shoes, bags and the like.
    case fashionGoods = 2
    /// Food and drinks.
    case food = 3
    /// Buildings and landscapes.
    case places = 4
    /// Flowers, trees and the like.
    case plants = 5
}

/// An object in a picture.
#if canImport(ObjectiveC)
    @objc(FIRVisionObject) @objcMembers
#endif
public final class VisionObject: NSObject, Sendable {
    /// The bounding box in pixels of the upright picture: origin at the top left, y down.
    public let frame: CGRect
    /// The category; also `.unknown` if classification is off.
    public let classificationCategory: VisionObjectCategory
    private let identity: Int
    private let categoryConfidence: Float?

    /// The identity of the object in a stream; zero in a single picture.
    public var trackingID: NSNumber? { NSNumber(value: identity) }
    /// The confidence of the category, 0…1; nil for `.unknown`.
    public var confidence: NSNumber? { categoryConfidence.map { NSNumber(value: $0) } }

    init(_ object: DetectedObject) {
        frame = CGRect(object.frame)
        identity = object.id ?? 0
        let label = object.labels.first
        let category = label.flatMap { VisionObjectCategory(classIndex: $0.index) }
        classificationCategory = category ?? .unknown
        categoryConfidence = category == nil ? nil : label?.confidence
    }
}

extension VisionObjectCategory {
    /// The category for a class of the built-in classifier.
    fileprivate init?(classIndex: Int) {
        switch classIndex {
        case 0: self = .fashionGoods
        case 1: self = .homeGoods
        case 2: self = .food
        case 3: self = .places
        case 4: self = .plants
        default: return nil
        }
    }
}
