#if canImport(UIKit)
    public import UIKit

    extension VisionImage {
        /// Draws a `UIImage` into pixels and takes over its `imageOrientation`.
        ///
        /// - Parameters:
        ///   - image: A picture that has a `cgImage`.
        ///   - limits: The largest picture to accept.
        /// - Throws: `ImageError.invalidPixelBuffer` if it has no `cgImage`, `.tooLarge` or `.outOfMemory`.
        public init(_ image: UIImage, limits: ImageLimits = .standard) throws(ImageError) {
            guard let picture = image.cgImage else {
                throw .invalidPixelBuffer(reason: "the UIImage has no cgImage; draw it into a CGImage first")
            }
            try self.init(picture, orientation: ImageOrientation(image.imageOrientation), limits: limits)
        }
    }

    extension ImageOrientation {
        /// The orientation of the same name.
        public init(_ orientation: UIImage.Orientation) {
            self = Self.allCases.first { UIImage.Orientation($0) == orientation } ?? .up
        }
    }

    extension UIImage.Orientation {
        /// The orientation of the same name.
        public init(_ orientation: ImageOrientation) {
            self =
                switch orientation {
                case .up: .up
                case .down: .down
                case .left: .left
                case .right: .right
                case .upMirrored: .upMirrored
                case .downMirrored: .downMirrored
                case .leftMirrored: .leftMirrored
                case .rightMirrored: .rightMirrored
                }
        }
    }

    #if !os(tvOS) && !os(watchOS)
        extension DeviceOrientation {
            /// The orientation of the same name.
            public init(_ orientation: UIDeviceOrientation) {
                self =
                    switch orientation {
                    case .unknown: .unknown
                    case .portrait: .portrait
                    case .portraitUpsideDown: .portraitUpsideDown
                    case .landscapeLeft: .landscapeLeft
                    case .landscapeRight: .landscapeRight
                    case .faceUp: .faceUp
                    case .faceDown: .faceDown
                    @unknown default: .unknown
                    }
            }
        }
    #endif
#endif
