import Sightline
import SightlineMedia
import TextFormatting

/// Counts of the pictures of a run.
struct PictureTally {
    private let began = ContinuousClock.now
    private(set) var succeeded = 0
    private(set) var failed = 0
    /// The number of objects or labels.
    private var findings = 0
    /// The number of pictures with objects or labels.
    private var withFindings = 0
    /// The kind of the findings.
    private var noun = "object"
    /// The number of pictures with more objects than the limit, and the largest number of objects.
    private var (cut, mostObjects) = (0, 0)
    private var names = NamedFindings()
    /// The number of pictures without labels, and the most confident label below its threshold.
    private var (unlabeled, bestGuess) = (0, Label?.none)
    /// The number of objects that were left out because their names were not sure.
    private var unnamedObjects = 0

    /// The number of pictures so far.
    var done: Int { succeeded + failed }

    /// Counts a picture.
    ///
    /// - Parameter isFailure: whether the picture failed, or a picture that belongs to it could not be written.
    mutating func count(_ outcome: PictureResult.Outcome, isFailure: Bool) {
        if isFailure { failed += 1 } else { succeeded += 1 }
        let number: Int
        switch outcome {
        case .objects(let result):
            number = result.objects.count
            names.count(result.objects)
            unnamedObjects += result.unnamed
            if result.omitted > 0 {
                cut += 1
                mostObjects = max(mostObjects, result.objects.count + result.omitted)
            }
        case .labels(let result):
            noun = "label"
            number = result.labels.count
            names.count(result.labels)
            if result.labels.isEmpty {
                unlabeled += 1
                if let guess = result.guess, guess.confidence > bestGuess?.confidence ?? 0 { bestGuess = guess }
            }
        case .failure:
            number = 0
        }
        findings += number
        if number > 0 { withFindings += 1 }
    }

    /// A sentence about pictures with more objects than the limit; nil if there are none.
    func cutSentence(limit: Int) -> String? {
        guard cut > 0 else { return nil }
        return
            "\(cut == 1 ? "One picture has" : "\(cut) pictures have") more than \(limit) objects, up to \(mostObjects); "
            + "--max-objects \(mostObjects) gives all."
    }

    /// A sentence about pictures without labels; nil if there are none, or if no label is likely at all.
    var guessSentence: String? {
        guard unlabeled > 0, let guess = bestGuess.flatMap(\.guess) else { return nil }
        return "\(unlabeled == 1 ? "One picture has" : "\(unlabeled) pictures have") no label; \(guess)."
    }

    /// A sentence about objects that could be of an allowed kind; nil if there are none.
    var unnamedSentence: String? { UnnamedObjects.sentence(about: unnamedObjects) }

    /// Whether most objects have no name.
    var areMostlyNameless: Bool { names.areMostlyNameless }

    /// A sentence about a model without names; nil if the classes of the findings have names.
    var namelessSentence: String? { names.namelessSentence }

    /// For example `329 pictures, 995 objects in 268 of them, 2 failed, 74.8 pictures/s`.
    ///
    /// - Parameter earlier: the number of pictures that an earlier run had done.
    func summary(earlier: Int) -> String {
        let rate = Double(done) / max((ContinuousClock.now - began).seconds, 1e-6)
        var parts = [
            NumberText.count(done, "picture"), "\(NumberText.count(findings, noun)) in \(withFindings) of them",
        ]
        if failed > 0 { parts.append("\(failed) failed") }
        if earlier > 0 { parts.append("\(earlier) done before") }
        return parts.joined(separator: ", ") + ", \((rate * 10).rounded() / 10) pictures/s"
    }
}
