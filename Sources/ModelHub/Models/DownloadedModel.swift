import Foundation
import Sightline

/// A model that was downloaded, verified and installed.
///
/// Its file never changes. After an update the file of the version before stays for a day, so that whoever has its address can
/// still open it; whoever has it open keeps it anyway.
public struct DownloadedModel: Sendable, Hashable {
    /// The name under which the hub publishes it.
    public var name: String
    /// The file's SHA-256 as 64 lower-case hexadecimal digits.
    public var hash: String
    /// The file's size in bytes.
    public var size: Int
    /// The `.tflite` file.
    public var url: URL

    /// Below which confidence, from 0 to 1, results are dropped where options name no threshold; nil if the hub names none.
    public var confidenceThreshold: Float?

    /// The model as detectors and labelers take it; its labels are those in its metadata, and its threshold is the hub's.
    public var localModel: LocalModel { LocalModel(url: url, confidenceThreshold: confidenceThreshold) }
}

/// How far a download is.
public struct DownloadProgress: Sendable, Hashable {
    /// How many bytes are there, those of an earlier try included.
    public var completedByteCount: Int
    /// How many bytes the model has.
    public var totalByteCount: Int

    /// From 0 to 1.
    public var fractionCompleted: Double {
        totalByteCount > 0 ? min(Double(completedByteCount) / Double(totalByteCount), 1) : 1
    }
}
