/// Pictures with a certain label and a certain answer.
struct EvaluationCell: Sendable {
    var title: String
    /// The number of all such pictures.
    var count: Int
    /// The paths and confidences of the most confident, most confident first.
    var pictures: [(path: String, confidence: Double)]
}
