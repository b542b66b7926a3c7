import Foundation
import ModelHubProtocol
import Sightline

extension DownloadedModel {
    /// Whether both are the same version with the same threshold, perhaps chosen in different ways.
    func isSameVersion(as other: DownloadedModel?) -> Bool {
        var copy = self
        copy.assignment = other?.assignment
        return copy == other
    }
}

/// A model that was downloaded, verified and installed.
///
/// The file never changes. After an update the file of the previous version stays for a day, so that programs that have
/// its path can still open it. Programs that have it open can read it for longer.
public struct DownloadedModel: Sendable, Hashable {
    /// The name of the model on the hub.
    public var name: String
    /// The alias of the version.
    public var alias: ModelAlias = .production
    /// The file's SHA-256 as 64 lower-case hexadecimal digits.
    public var hash: String
    /// The file's size in bytes.
    public var size: Int
    /// The `.tflite` or `.onnx` file.
    public var url: URL

    /// The confidence, from 0 to 1, below which results are dropped if the options set no threshold; nil if the hub
    /// sets no threshold.
    public var confidenceThreshold: Float?

    /// The rollout that chose this version, and this installation's group in it, for ``OutcomeReporter``: the variant is `new` or `old`.
    /// Nil if no rollout of the model is under way, or if this installation's results are not compared.
    public var assignment: ExperimentAssignment?

    /// The model for detectors and labelers, with the labels in its metadata and the threshold from the hub.
    public var localModel: LocalModel { LocalModel(url: url, confidenceThreshold: confidenceThreshold) }
}

/// The progress of a download.
public struct DownloadProgress: Sendable, Hashable {
    /// The number of bytes received so far, including those of an earlier attempt.
    public var completedByteCount: Int
    /// The size of the model in bytes.
    public var totalByteCount: Int

    /// The completed fraction, from 0 to 1.
    public var fractionCompleted: Double {
        totalByteCount > 0 ? min(Double(completedByteCount) / Double(totalByteCount), 1) : 1
    }
}
