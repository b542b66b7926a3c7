import Foundation
import HTTPServing
import HTTPTypes
import NIOCore
import Sightline
import SightlineMedia

/// The sender of a picture.
package struct AnswerClient: Sendable {
    /// The text by which the queue knows the sender: pictures of several senders take turns.
    package let owner: String
    /// The sender's connection; nil for a sender without one. The work ends when the connection closes.
    package let connection: (any Channel)?
    /// The key by which requests fall into the shares of a rollout: of the header field `X-Sightline-Key`, otherwise the owner.
    package let key: String

    /// Creates a sender.
    package init(owner: String, connection: (any Channel)? = nil, key: String? = nil) {
        (self.owner, self.connection, self.key) = (owner, connection, key ?? owner)
    }

    /// The sender of a request.
    package init(_ request: APIRequest) {
        self.init(
            owner: "\(request.client.network)",
            connection: request.connection,
            key: request.headers[.sightlineKey]
        )
    }
}

extension HTTPField.Name {
    /// The key of a request, by which it gets a version of a model that a hub rolls out.
    static let sightlineKey = named("x-sightline-key")
}

/// The model behind an answer.
package struct AnswerModel: Sendable, Hashable {
    /// The name by which requests choose the model.
    package let name: String
    /// The first 12 hexadecimal digits of the SHA-256 of the model's file.
    package let version: String
    /// The SHA-256 of the model's file, as 64 lowercase hexadecimal digits.
    let sha256: String
}

/// The objects in a picture.
package struct DetectionAnswer: Sendable {
    /// The model that found them.
    package let model: AnswerModel
    /// The objects, the most confident first, in pixels of the upright picture.
    package let result: DetectionResult
    /// Where scores of the answer go; nil if they are not compared.
    let report: OutcomeReport?
}

/// The labels of a picture.
package struct LabelingAnswer: Sendable {
    /// The model that gave them.
    package let model: AnswerModel
    /// The labels, the most confident first.
    package let result: LabelingResult
    /// Where scores of the answer go; nil if they are not compared.
    let report: OutcomeReport?
}

/// A picture with its results drawn on it.
package struct AnnotatedPicture: Sendable {
    /// The model behind the results.
    package let model: AnswerModel
    /// The file of the picture.
    package let data: Data
    /// The format of the file.
    package let format: ImageFormat
    /// Where scores of the answer go; nil if they are not compared.
    let report: OutcomeReport?
}
