/// Limits on the amount of data copied out of a FlatBuffer.
///
/// Tables may share the texts and vectors that they refer to, so a file of a few kilobytes can name the same text a
/// million times. Each use counts against the budget before anything is copied.
final class FlatBufferBudget {
    /// The maximum size of a text in bytes.
    let maximumText: Int
    private let maximumTexts: Int
    private let maximumElements: Int
    private var texts = 0
    private var elements = 0

    /// - Parameters:
    ///   - maximumText: The maximum size of a text in bytes.
    ///   - maximumTexts: The maximum size of all texts together in bytes.
    ///   - maximumElements: The maximum number of elements in all vectors together.
    init(maximumText: Int = 64 << 10, maximumTexts: Int = 4 << 20, maximumElements: Int = 8_000_000) {
        self.maximumText = maximumText
        self.maximumTexts = maximumTexts
        self.maximumElements = maximumElements
    }

    func spend(textBytes count: Int) throws(FlatBufferError) {
        guard count <= maximumText else {
            throw FlatBufferError(reason: "a name or text has \(count) bytes, more than \(maximumText)")
        }
        texts += count
        guard texts <= maximumTexts else {
            throw FlatBufferError(reason: "its names and texts have more than \(maximumTexts) bytes in total")
        }
    }

    func spend(elements count: Int) throws(FlatBufferError) {
        guard count <= maximumElements - elements else {
            throw FlatBufferError(reason: "its lists have more than \(maximumElements) elements in total")
        }
        elements += count
    }
}
