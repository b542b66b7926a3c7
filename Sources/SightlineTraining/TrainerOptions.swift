import DurableFiles
import Foundation
import Sightline

/// The options that every training has, of labels and of boxes.
public struct TrainerOptions: Sendable, Hashable {
    /// The classifier whose network is used. A network that learned from many kinds of things, such as MobileNet V2 of the catalog, is
    /// far better than the built-in network of features, the default: about 8 points on flowers.
    public var start: LocalModel
    /// The name of the start in the model's card; nil for the name of its file.
    public var startName: String?
    /// The license of the start; nil for that in its metadata.
    public var startLicense: String?
    /// The number of pictures that are read at the same time. The default is the number of cores.
    public var workers = ProcessInfo.processInfo.activeProcessorCount
    /// The folder in which features, and of boxes the proposals, are kept between runs; nil to keep none. The default is
    /// `sightline/features` in the user's cache folder.
    public var cache: URL? = UserCacheFolder.ofUser().appending(path: "sightline/features")
    /// Another number leads to another division into parts that are learned from and measured. The model depends on it only through the
    /// penalty on its weights and, of boxes, the power of the detector's confidence.
    public var seed: UInt64 = 0

    /// Creates options with a start.
    public init(start: LocalModel = .builtInFeatures) {
        self.start = start
    }
}
