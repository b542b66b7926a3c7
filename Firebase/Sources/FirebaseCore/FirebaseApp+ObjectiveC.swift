#if canImport(ObjectiveC)
    import Foundation

    extension FirebaseApp {
        /// ``isDataCollectionDefaultEnabled`` for Objective-C, where the property has no `is`.
        @available(swift, obsoleted: 1)
        @objc(dataCollectionDefaultEnabled)
        public var objectiveCDataCollectionDefaultEnabled: Bool {
            @objc(isDataCollectionDefaultEnabled) get { isDataCollectionDefaultEnabled }
            set { isDataCollectionDefaultEnabled = newValue }
        }
    }
#endif
