#if canImport(ObjectiveC)
    import Foundation

    extension ModelManager {
        /// Starts a download as `downloadModel:conditions:` does. The page about image labeling uses this name.
        ///
        /// - Parameters:
        ///   - remoteModel: The model, by name.
        ///   - conditions: The links that may be used.
        /// - Returns: The progress in bytes.
        @available(swift, obsoleted: 1)
        @objc(downloadRemoteModel:conditions:)
        @discardableResult
        public func objectiveCDownload(_ remoteModel: RemoteModel, conditions: ModelDownloadConditions) -> Progress {
            download(remoteModel, conditions: conditions)
        }
    }
#endif
