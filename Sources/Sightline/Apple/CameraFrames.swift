#if canImport(AVFoundation) && canImport(CoreMedia) && !os(watchOS)
    public import AVFoundation
    public import CoreMedia
    import Foundation
    import SightlineLocks

    /// The frames of a capture session, for a ``StreamDetector``.
    ///
    /// ```swift
    /// let camera = CameraFrames { .right }          // a phone that is held upright
    /// camera.attach(to: output)                     // an AVCaptureVideoDataOutput of the session
    /// for try await analyzed in detector.results(in: camera.frames, policy: .newest) {
    ///     boxes = analyzed.result.objects
    /// }
    /// ```
    ///
    /// Frames are not copied. A frame that comes while the detector works replaces the frame that waits, so that at most two frames of
    /// the camera's pool are in use and results are never late.
    public final class CameraFrames: NSObject, AVCaptureVideoDataOutputSampleBufferDelegate, Sendable {
        /// The frames from now on, for one loop. It ends with ``finish()``, or with an `ImageError` if the camera delivers another format
        /// than 32BGRA, 420v or 420f.
        public let frames: AsyncThrowingStream<VideoFrame, any Error>

        private struct FramePosition {
            /// The time of the first frame on the camera's clock, in seconds.
            var start: Double?
            /// The index of the next frame.
            var index = 0
        }

        private let continuation: AsyncThrowingStream<VideoFrame, any Error>.Continuation
        private let orientation: @Sendable () -> ImageOrientation
        private let place = Mutex(FramePosition())
        private let queue = DispatchQueue(label: "sightline.camera", qos: .userInitiated)

        /// Creates the frames of a camera.
        ///
        /// - Parameter orientation: The orientation of the next frame. It is asked on the camera's queue;
        ///   `ImageOrientation(deviceOrientation:cameraPosition:)` has the rule.
        public init(orientation: @escaping @Sendable () -> ImageOrientation) {
            self.orientation = orientation
            (frames, continuation) = AsyncThrowingStream.makeStream(
                of: VideoFrame.self,
                bufferingPolicy: .bufferingNewest(1)
            )
            super.init()
        }

        /// Takes the frames of an output, which discards late frames from then on.
        public func attach(to output: AVCaptureVideoDataOutput) {
            output.alwaysDiscardsLateVideoFrames = true
            output.setSampleBufferDelegate(self, queue: queue)
        }

        /// Ends the loop over the frames.
        public func finish() { continuation.finish() }

        /// Takes a frame; called by the output.
        public func captureOutput(
            _ output: AVCaptureOutput,
            didOutput sampleBuffer: CMSampleBuffer,
            from connection: AVCaptureConnection
        ) {
            let seconds = CMTimeGetSeconds(CMSampleBufferGetPresentationTimeStamp(sampleBuffer))
            let (index, time) = place.withLock { place in
                defer { place.index += 1 }
                let start = place.start ?? seconds
                place.start = start
                return (place.index, max(seconds - start, 0))
            }
            do {
                let image = try VisionImage(sampleBuffer, orientation: orientation())
                continuation.yield(VideoFrame(image: image, timestamp: .seconds(time), index: index))
            } catch {
                continuation.finish(throwing: error)
            }
        }

        /// Counts a frame that the output discarded; called by the output.
        public func captureOutput(
            _ output: AVCaptureOutput,
            didDrop sampleBuffer: CMSampleBuffer,
            from connection: AVCaptureConnection
        ) {
            place.withLock { $0.index += 1 }
        }
    }
#endif
