import FacadeSupport
public import Foundation

#if canImport(CoreVideo)
    public import CoreVideo
#endif

/// The confidence that each place of a picture shows the foreground. (`MLKSegmentationMask`)
///
/// Systems without Core Video have ``width``, ``height`` and ``confidences`` in place of `buffer`.
#if canImport(ObjectiveC)
    @objc(MLKSegmentationMask) @objcMembers
#endif
public final class SegmentationMask: NSObject, Sendable {
    /// The number of columns.
    @nonobjc public let width: Int
    /// The number of rows.
    @nonobjc public let height: Int
    /// The confidences, 0…1, row by row from the top left corner of the upright picture.
    @nonobjc public let confidences: [Float]
    #if canImport(CoreVideo)
        /// The confidences as floats of 32 bits, in the format `kCVPixelFormatType_OneComponent32Float`.
        ///
        /// Nothing here writes to the buffer after the mask is made, so threads may read it at the same time.
        public nonisolated(unsafe) let buffer: CVPixelBuffer
    #endif

    init(_ mask: ForegroundMask) throws {
        (width, height, confidences) = (mask.width, mask.height, mask.confidences)
        #if canImport(CoreVideo)
            buffer = try mask.pixelBuffer()
        #endif
    }
}
