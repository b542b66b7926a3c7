#if canImport(ObjectiveC)
    import Foundation

    extension FaceDetectorOptions {
        /// ``isTrackingEnabled`` for Objective-C.
        @available(swift, obsoleted: 1)
        @objc(trackingEnabled)
        public var objectiveCTrackingEnabled: Bool {
            @objc(isTrackingEnabled) get { isTrackingEnabled }
            set { isTrackingEnabled = newValue }
        }

        /// ``classificationMode`` for Objective-C, as one of the constants of `MLKitObjectiveC`.
        @available(swift, obsoleted: 1)
        @objc(classificationMode)
        public var objectiveCClassificationMode: Int {
            get { classificationMode.rawValue }
            set { classificationMode = FaceDetectorClassificationMode(rawValue: newValue) }
        }

        /// ``performanceMode`` for Objective-C, as one of the constants of `MLKitObjectiveC`.
        @available(swift, obsoleted: 1)
        @objc(performanceMode)
        public var objectiveCPerformanceMode: Int {
            get { performanceMode.rawValue }
            set { performanceMode = FaceDetectorPerformanceMode(rawValue: newValue) }
        }

        /// ``landmarkMode`` for Objective-C, as one of the constants of `MLKitObjectiveC`.
        @available(swift, obsoleted: 1)
        @objc(landmarkMode)
        public var objectiveCLandmarkMode: Int {
            get { landmarkMode.rawValue }
            set { landmarkMode = FaceDetectorLandmarkMode(rawValue: newValue) }
        }

        /// ``contourMode`` for Objective-C, as one of the constants of `MLKitObjectiveC`.
        @available(swift, obsoleted: 1)
        @objc(contourMode)
        public var objectiveCContourMode: Int {
            get { contourMode.rawValue }
            set { contourMode = FaceDetectorContourMode(rawValue: newValue) }
        }
    }
#endif
