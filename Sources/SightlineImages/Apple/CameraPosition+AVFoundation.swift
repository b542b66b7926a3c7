#if canImport(AVFoundation) && !os(watchOS)
    public import AVFoundation

    extension CameraPosition {
        /// The position of the same name.
        public init(_ position: AVCaptureDevice.Position) {
            self =
                switch position {
                case .unspecified: .unspecified
                case .back: .back
                case .front: .front
                @unknown default: .unspecified
                }
        }
    }
#endif
