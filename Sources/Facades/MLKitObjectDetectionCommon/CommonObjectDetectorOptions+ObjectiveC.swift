#if canImport(ObjectiveC)
    import Foundation

    extension CommonObjectDetectorOptions {
        /// ``detectorMode`` for Objective-C, as one of the constants of `MLKitConstants`.
        @available(swift, obsoleted: 1)
        @objc(detectorMode)
        public final var objectiveCDetectorMode: Int {
            get { detectorMode.rawValue }
            set { detectorMode = ObjectDetectorMode(rawValue: newValue) }
        }
    }
#endif
