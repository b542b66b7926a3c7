import FacadeSupport
import Foundation
import Sightline
import SightlineLocks

/// A picture for detectors and labelers.
///
/// On Apple systems you create it from a `UIImage` or a `CMSampleBuffer`, as in Firebase. On all systems you can create
/// it from a file, from the bytes of a file, or from a picture of Sightline.
#if canImport(ObjectiveC)
    @objc(FIRVisionImage) @objcMembers
#endif
public final class VisionImage: NSObject, Sendable {
    private let content: FacadePicture
    private let currentMetadata = Mutex<VisionImageMetadata?>(nil)

    /// The orientation of the picture; nil for the picture's own orientation, which is upright unless a file's EXIF
    /// data or a `UIImage` states another one.
    public var metadata: VisionImageMetadata? {
        get { currentMetadata.withLock(\.self) }
        set { currentMetadata.withLock { $0 = newValue } }
    }

    init(_ content: FacadePicture) { self.content = content }

    /// Creates a picture from a picture of Sightline, for example from pixels in memory.
    public convenience init(_ picture: Sightline.VisionImage) { self.init(FacadePicture(picture)) }

    /// Reads a file of a format in Sightline's `ImageFormat.readable`.
    ///
    /// - Throws: An `NSError`, with code 5 if the file does not exist, 3 if it has another format or is damaged, 8 if
    ///   it is too large.
    #if canImport(ObjectiveC)
        @objc(initWithContentsOfURL:error:)
    #endif
    public convenience init(contentsOf url: URL) throws {
        self.init(try FirebaseErrors.translating { try Sightline.VisionImage(contentsOf: url) })
    }

    /// Reads the bytes of a file of a format in Sightline's `ImageFormat.readable`.
    ///
    /// - Throws: An `NSError`, with code 3 if the bytes have another format or are damaged, 8 if the picture is too
    ///   large.
    public convenience init(data: Data) throws {
        self.init(try FirebaseErrors.translating { try Sightline.VisionImage(data: data) })
    }

    /// The picture with its current orientation.
    func picture() throws -> Sightline.VisionImage {
        var content = content
        if let metadata { content.orientation = ImageOrientation(metadata.orientation) }
        return try content.picture()
    }
}
