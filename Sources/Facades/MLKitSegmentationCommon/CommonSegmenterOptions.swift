import FacadeSupport
public import Foundation
public import MLKitCommon

/// The common options of segmenters. (`MLKCommonSegmenterOptions`)
///
/// Create a `SelfieSegmenterOptions`. A segmenter copies its options when it is created.
#if canImport(ObjectiveC)
    @objc(MLKCommonSegmenterOptions) @objcMembers
#endif
open class CommonSegmenterOptions: NSObject {
    /// Whether pictures are independent or form a stream. The models here look at each picture by itself, so it makes no difference: masks of
    /// a stream are not smoothed over time.
    public final var segmenterMode = SegmenterMode.stream
    /// Whether a mask has the size of the model's output. Otherwise it has the size of the upright picture, by linear interpolation.
    public final var shouldEnableRawSizeMask = false
    /// A model that gives the probability of a person for each place of a picture, for example MediaPipe's `selfie_segmenter.tflite`; nil for
    /// the file `selfie_segmenter.tflite` among the program's resources.
    ///
    /// ML Kit has no such property, since its model is built in.
    public final var localModel: LocalModel?

    /// The name of the model among the resources, as MediaPipe has it.
    private static let usualModel = "selfie_segmenter"

    /// For classes of this package only.
    package override init() {}

    final var engine: SegmenterEngine {
        SegmenterEngine(model: localModel?.source ?? .resource(Self.usualModel), isRaw: shouldEnableRawSizeMask)
    }
}

/// Whether pictures are independent or form a stream. (`MLKSegmenterMode`)
public struct SegmenterMode: RawRepresentable, Sendable, Hashable {
    /// The number of the mode.
    public let rawValue: Int

    /// Creates a mode from its number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Pictures are independent.
    public static let singleImage = SegmenterMode(rawValue: 0)
    /// Pictures form a stream.
    public static let stream = SegmenterMode(rawValue: 1)
}
