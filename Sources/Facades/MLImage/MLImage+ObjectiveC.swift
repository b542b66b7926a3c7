#if canImport(ObjectiveC)
    import Foundation

    extension MLImage {
        /// ``imageSourceType`` for Objective-C, as one of the constants of `MLKitConstants`.
        @available(swift, obsoleted: 1)
        @objc(imageSourceType)
        public var objectiveCImageSourceType: Int { imageSourceType.rawValue }
    }
#endif
