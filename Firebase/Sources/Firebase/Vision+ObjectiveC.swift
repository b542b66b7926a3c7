#if canImport(ObjectiveC)
    import Foundation

    extension Vision {
        /// ``isStatsCollectionEnabled`` for Objective-C, where the property has no `is`.
        @available(swift, obsoleted: 1)
        @objc(statsCollectionEnabled)
        public var objectiveCStatsCollectionEnabled: Bool {
            @objc(isStatsCollectionEnabled) get { isStatsCollectionEnabled }
            set { isStatsCollectionEnabled = newValue }
        }
    }
#endif
