import FacadeSupport
import Foundation
import Sightline
import Synchronization

/// A picture to be looked at.
///
/// On Apple systems it is made of a `UIImage` or a `CMSampleBuffer`, as in Firebase; everywhere of a file, its bytes, or a
/// picture of Sightline.
public final class VisionImage: NSObject, Sendable {
    private let held: HeldPicture
    private let currentMetadata = Mutex<VisionImageMetadata?>(nil)

    /// How the picture stands; nil for the way that the picture itself says, which is upright unless a file's EXIF data or a
    /// `UIImage` says otherwise.
    public var metadata: VisionImageMetadata? {
        get { currentMetadata.withLock(\.self) }
        set { currentMetadata.withLock { $0 = newValue } }
    }

    init(_ held: HeldPicture) { self.held = held }

    /// A picture of Sightline: pixels in memory, for example.
    public convenience init(_ picture: Sightline.VisionImage) { self.init(HeldPicture(picture)) }

    /// Reads a JPEG, PNG or WebP file.
    ///
    /// - Throws: an `NSError`; of code 5 if there is no such file, 3 if it is none of these or damaged, 8 if it is too large.
    public convenience init(contentsOf url: URL) throws {
        self.init(try FirebaseErrors.translating { try Sightline.VisionImage(contentsOf: url) })
    }

    /// Reads the bytes of a JPEG, PNG or WebP file.
    ///
    /// - Throws: an `NSError`; of code 3 if it is none of these or damaged, 8 if it is too large.
    public convenience init(data: Data) throws {
        self.init(try FirebaseErrors.translating { try Sightline.VisionImage(data: data) })
    }

    /// The picture as it is to be seen now.
    func picture() throws -> Sightline.VisionImage {
        var held = held
        if let metadata { held.orientation = ImageOrientation(metadata.orientation) }
        return try held.picture()
    }
}
