#if canImport(ObjectiveC)
    import Foundation

    extension Face {
        /// ``landmark(ofType:)`` for Objective-C, with one of the constants of `MLKitObjectiveC`.
        @available(swift, obsoleted: 1)
        @objc(landmarkOfType:)
        public func objectiveCLandmark(ofType type: String) -> FaceLandmark? {
            landmark(ofType: FaceLandmarkType(rawValue: type))
        }

        /// ``contour(ofType:)`` for Objective-C, with one of the constants of `MLKitObjectiveC`.
        @available(swift, obsoleted: 1)
        @objc(contourOfType:)
        public func objectiveCContour(ofType type: String) -> FaceContour? {
            contour(ofType: FaceContourType(rawValue: type))
        }
    }

    extension FaceLandmark {
        /// ``type`` for Objective-C.
        @available(swift, obsoleted: 1)
        @objc(type)
        public var objectiveCType: String { type.rawValue }
    }

    extension FaceContour {
        /// ``type`` for Objective-C.
        @available(swift, obsoleted: 1)
        @objc(type)
        public var objectiveCType: String { type.rawValue }
    }
#endif
