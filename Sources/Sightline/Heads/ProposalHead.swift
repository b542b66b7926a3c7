import TensorFlowLite

/// The scores of a classifier for a part of a picture that the built-in detector proposes: each is the score of a box around the whole
/// part.
///
/// A model has this head if its sidecar describes ``ModelSidecar/proposals``.
struct ProposalHead: DetectorHead {
    private let head: ClassifierHead

    let defaultScoreThreshold: Float = 0.3
    let defaultIoUThreshold: Float? = 0.5
    var classCount: Int? { head.classCount }
    var summary: String { "classifier of the built-in detector's boxes" }
    var assumptions: [String] { head.assumptions }
    var unused: [String] { head.unused }

    static let names = [ModelSidecar.Head.proposals]

    static func find(in files: ModelFiles) throws -> ProposalHead? {
        guard files.sidecar.proposals != nil else { return nil }
        return ProposalHead(head: try ClassifierHead(files))
    }

    func candidates(
        of interpreter: any InferenceSession,
        values: inout OutputValues,
        minimumScore: Float
    ) throws -> [Candidate] {
        try head.withScores(of: interpreter, values: &values) { scores in
            scores.enumerated().compactMap { index, score in
                score >= minimumScore
                    ? Candidate(left: 0, top: 0, right: 1, bottom: 1, score: min(score, 1), classIndex: index) : nil
            }
        }
    }
}

extension ModelSidecar.Head {
    /// The scores of a classifier for boxes of the built-in detector, as ``ModelSidecar/proposals`` describes it.
    public static let proposals = Self(rawValue: "proposals")
}
