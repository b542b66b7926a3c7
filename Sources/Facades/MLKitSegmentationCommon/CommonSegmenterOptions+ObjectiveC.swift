#if canImport(ObjectiveC)
    import Foundation

    extension CommonSegmenterOptions {
        /// ``segmenterMode`` for Objective-C, as one of the constants of `MLKitObjectiveC`.
        @available(swift, obsoleted: 1)
        @objc(segmenterMode)
        public final var objectiveCSegmenterMode: Int {
            get { segmenterMode.rawValue }
            set { segmenterMode = SegmenterMode(rawValue: newValue) }
        }
    }
#endif
