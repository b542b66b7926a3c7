#if canImport(ObjectiveC)
    import Foundation

    extension CommonPoseDetectorOptions {
        /// ``detectorMode`` for Objective-C, as one of the constants of `MLKitObjectiveC`.
        @available(swift, obsoleted: 1)
        @objc(detectorMode)
        public final var objectiveCDetectorMode: Int {
            get { detectorMode.rawValue }
            set { detectorMode = PoseDetectorMode(rawValue: newValue) }
        }
    }

    extension Pose {
        /// ``landmark(ofType:)`` for Objective-C, with one of the constants of `MLKitObjectiveC`.
        @available(swift, obsoleted: 1)
        @objc(landmarkOfType:)
        public func objectiveCLandmark(ofType type: String) -> PoseLandmark {
            landmark(ofType: PoseLandmarkType(rawValue: type))
        }
    }

    extension PoseLandmark {
        /// ``type`` for Objective-C.
        @available(swift, obsoleted: 1)
        @objc(type)
        public var objectiveCType: String { type.rawValue }
    }
#endif
