// swift-format-ignore-file
public import CoreMedia
public import Foundation
public import ModelHub
public import Sightline
public import UIKit

extension CGRect {
    public init(_ rect: PixelRect) { fatalError() }
}
public enum FacadeError: Error {
    case unknownImage(type: String)
    case modelFormat(reason: String)
}
public enum ErrorTranslation {
    public static func error(_ error: any Error, domain: String) -> NSError { fatalError() }
}
public enum MainQueue {
    public static func async(_ callback: @escaping @MainActor @Sendable () -> Void) {}
}
public struct FacadePicture: Sendable {
    public var orientation: ImageOrientation
    public init(_ image: VisionImage) { fatalError() }
    public init(_ image: UIImage) { fatalError() }
    public init(_ buffer: CMSampleBuffer) { fatalError() }
    public func picture() throws -> VisionImage { fatalError() }
}
package protocol FacadePictureContainer {
    var content: FacadePicture { get }
}
public struct ModelSource: Sendable {
    public static let builtInClassifier = ModelSource()
    public static let builtInLabeler = ModelSource()
    public static func local(path: String) -> ModelSource { fatalError() }
    public static func installed(_ name: String) -> ModelSource { fatalError() }
    public static func resource(_ name: String) -> ModelSource { fatalError() }
    public static func remote(name: String, of service: ModelService) -> ModelSource { fatalError() }
}
public struct DownloadedModel: Sendable {
    public let url: URL
}
public struct ModelService: Sendable {
    public init(domain: String, manager: @escaping @Sendable () throws -> ModelHub.ModelManager) {}
    public func isModelDownloaded(named name: String) -> Bool { false }
    public func downloadedModel(named name: String) throws -> DownloadedModel { fatalError() }
    public func download(
        modelNamed name: String, conditions: ModelDownloadConditions, completion: @escaping @MainActor @Sendable (NSError?) -> Void
    ) -> Progress { fatalError() }
    public func deleteModel(named name: String, completion: @escaping @MainActor @Sendable (NSError?) -> Void) {}
    public func deleteModel(named name: String) async throws {}
}
public struct DetectorSettings: Sendable {
    public enum Mode: Sendable { case singleImage, stream }
    public var mode = Mode.stream
    public var detectsMultipleObjects = false
    public var classifiesObjects = false
    public var classifier = ModelSource.builtInClassifier
    public var classificationThreshold: Float?
    public var maximumLabelsPerObject = 10
    public var maximumObjects = 5
    public init() {}
}
public final class DetectorEngine: Sendable {
    public init(_ settings: DetectorSettings) {}
    public init(_ settings: PointSettings) {}
    public func objects(in image: VisionImage, at time: Duration) throws -> [DetectedObject] { [] }
}
public struct PointSettings: Sendable {
    public var tracksObjects = false
    public var searchesSlices = false
    public init(model: ModelSource, neededPoint: ObjectPoint.Name) {}
}
extension DetectedObject {
    public var eyeAngle: Double? { nil }
}
public struct ForegroundMask: Sendable {
    public let width, height: Int
    public let confidences: [Float]
    public func pixelBuffer() throws -> CVPixelBuffer { fatalError() }
}
public final class SegmenterEngine: Sendable {
    public init(model: ModelSource, isRaw: Bool) {}
    public func mask(of image: VisionImage) throws -> ForegroundMask { fatalError() }
}
public struct LabelerSettings: Sendable {
    public var confidenceThreshold: Float?
    public var defaultThreshold: Float?
    public var maximumLabels = 10
    public init(model: ModelSource) {}
}
public final class LabelerEngine: Sendable {
    public init(_ settings: LabelerSettings) {}
    public func labels(in image: VisionImage) throws -> [Label] { [] }
}
public final class PictureQueue<Output: Sendable>: Sendable {
    public init(domain: String, recognize: @escaping @Sendable (VisionImage, Duration) throws -> Output) {}
    public func process(
        _ image: @autoclosure () throws -> VisionImage, completion: @escaping @MainActor @Sendable (Output?, NSError?) -> Void
    ) {}
    public func process(_ image: VisionImage) async throws -> Output { fatalError() }
    public func results(in image: @autoclosure () throws -> VisionImage, function: String = "") throws -> Output { fatalError() }
}
