import FacadeSupport
import Foundation
import Sightline

/// The coarse categories of objects, with Firebase's numbers, which are not those of ML Kit.
public enum VisionObjectCategory: Int, Sendable {
    /// None of the others, or nobody asked.
    case unknown = 0
    /// Furniture, dishes, lamps and the like.
    case homeGoods = 1
    /// Clothes, shoes, bags and the like.
    case fashionGoods = 2
    /// What is eaten and drunk.
    case food = 3
    /// Buildings and landscapes.
    case places = 4
    /// Flowers, trees and the like.
    case plants = 5
}

/// An object in a picture.
public final class VisionObject: NSObject, Sendable {
    /// Where it is, in pixels of the upright picture: origin at the top left, y down.
    public let frame: CGRect
    /// What it is; `.unknown` also if nobody asked.
    public let classificationCategory: VisionObjectCategory
    private let identity: Int
    private let categoryConfidence: Float?

    /// The identity of the object in a stream; zero in a single picture.
    public var trackingID: NSNumber? { NSNumber(value: identity) }
    /// How sure the category is, 0…1; nil where it is `.unknown`.
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
    /// The category of a class of the built-in classifier.
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
