import CommandLineSupport
import DurableFiles
import Foundation
import Sightline
import SightlineTraining
import TextFormatting

/// Trains the labeler of a thing from moments, as `sightline train labels` does, and measures it by day and by night.
struct StateTraining: Sendable {
    /// A moment with its label.
    struct Example: Sendable {
        let moment: Moment
        let label: String
    }

    /// A trained labeler.
    struct Made: Sendable {
        /// The folder of the model.
        let folder: String
        /// Sentences about the model.
        let figures: [String]
        /// The entry of a camera.
        let yaml: String
    }

    let name: String
    let region: PixelRect
    /// The name of the recording, for the names of examples.
    let recording: String
    let folder: URL
    let start: String?

    /// The mean brightness, of 255, from which a moment counts as day.
    static let dayBrightness = 70.0
    /// The number of moments below which figures say little.
    static let fewMoments = 10

    private var model: URL { folder.appending(path: name, directoryHint: .isDirectory) }
    /// The examples, which collect over several recordings.
    private var pictures: URL { folder.appending(path: "\(name)-examples", directoryHint: .isDirectory) }

    /// Writes the examples, trains, and writes the model.
    ///
    /// - Parameter show: takes the share that is done.
    /// - Throws: `InputError` with the reason.
    func run(_ examples: [Example], show: @Sendable (Double) -> Void) async throws(InputError) -> Made {
        do {
            try TrainedLabels.check(model)
            try await withTaskExecutorPreference(FileExecutor.shared) { try await write(examples) }
            let known = try TrainingPictures(contentsOf: pictures)
            // The messages of the command are for the terminal, the reason is for the page.
            let (found, messages) = StandardError.collectingMessages { try TrainingStart.find(start) }
            guard case .success(let start) = found else {
                throw InputError(reason: messages.joined(separator: " "))
            }
            var options = TrainerOptions(start: start.model)
            (options.startName, options.startLicense) = (start.name, start.license)
            var labels = LabelTrainerOptions(options)
            // The moments of a fixed camera all look alike, whatever the state; those that differ most were chosen.
            labels.picturesShowOneScene = true
            let trainer = try LabelTrainer(options: labels)
            let trained = try await trainer.train(known, named: name) { progress in
                switch progress {
                case .reading(let done, _, let total): show(0.5 * Double(done) / Double(max(total, 1)))
                case .fitting(let done, let total): show(0.5 + 0.5 * Double(done) / Double(max(total, 1)))
                }
            }
            let figures: [String] = await withTaskExecutorPreference(FileExecutor.shared) {
                await self.figures(of: trained)
            }
            try await withTaskExecutorPreference(FileExecutor.shared) { try await write(trained) }
            let path = model.standardizedFileURL.path(percentEncoded: false)
            return Made(folder: path, figures: figures + messages, yaml: yaml(path))
        } catch let error as InputError {
            throw error
        } catch {
            throw InputError(reason: sentence(for: error))
        }
    }

    @concurrent private func write(_ trained: TrainedLabels) async throws { try trained.write(to: model) }

    /// Writes the pictures of moments into a folder for each label. A moment that has another label now leaves its earlier folder.
    @concurrent private func write(_ examples: [Example]) async throws {
        let manager = FileManager.default
        let earlier = (try? manager.contentsOfDirectory(atPath: pictures.path(percentEncoded: false))) ?? []
        for example in examples {
            let place = ClockText.text(example.moment.time).replacing(":", with: "-")
            let file = "\(recording)-\(place).jpg"
            let folder = pictures.appending(path: example.label, directoryHint: .isDirectory)
            try manager.createDirectory(at: folder, withIntermediateDirectories: true)
            for label in earlier where label != example.label {
                // At each moment, one label has the picture.
                rename(
                    pictures.appending(path: label).appending(path: file).path(percentEncoded: false),
                    folder.appending(path: file).path(percentEncoded: false)
                )
            }
            try DurableFile.write(example.moment.picture, to: folder.appending(path: file))
        }
        for label in earlier {
            // An empty folder would be a label without pictures.
            rmdir(pictures.appending(path: label).path(percentEncoded: false))
        }
    }

    // MARK: Figures

    /// The answers about moments of a kind.
    private struct Tally {
        var (right, wrong, unsure) = (0, 0, 0)
        var count: Int { right + wrong + unsure }

        mutating func add(_ answer: MeasuredPicture, threshold: Double) {
            if answer.confidence < threshold {
                unsure += 1
            } else if answer.answer == answer.label {
                right += 1
            } else {
                wrong += 1
            }
        }

        /// For example `18 of 20 are right (70 to 97 % with a probability of 95 %), 1 is wrong and 1 unknown`.
        var text: String {
            let interval = ShareInterval(right: right, of: count)
            return
                "\(right) of \(count) right (\(NumberText.percent(interval.lower)) to \(NumberText.percent(interval.upper)) "
                + "of others like them), \(wrong) wrong, \(unsure) unknown"
        }
    }

    /// Sentences about moments from which the measured models did not learn.
    @concurrent private func figures(of trained: TrainedLabels) async -> [String] {
        var (all, day, night) = (Tally(), Tally(), Tally())
        let threshold = trained.card.confidenceThreshold ?? 0
        for answer in trained.measured {
            all.add(answer, threshold: threshold)
            let file = pictures.appending(path: answer.path)
            guard let brightness = Self.brightness(of: file) else { continue }
            if brightness >= Self.dayBrightness {
                day.add(answer, threshold: threshold)
            } else {
                night.add(answer, threshold: threshold)
            }
        }
        var lines = ["Held-out moments: \(all.text)."]
        let limit = "a mean brightness of \(Int(Self.dayBrightness)) of 255"
        for (kind, tally) in [("By day (\(limit) or more)", day), ("By night (less)", night)] {
            if tally.count == 0 {
                lines.append("\(kind): no moments. Label some of such a recording before you rely on the model then.")
            } else if tally.count < Self.fewMoments {
                let few = tally.count == 1 ? "1 moment is" : "\(tally.count) moments are"
                lines.append("\(kind): \(tally.text). \(few) too few to say how often.")
            } else {
                lines.append("\(kind): \(tally.text).")
            }
        }
        lines.append(
            "The network is that of \(trained.card.start.name); a label below \(threshold) means unknown. \(trained.card.method)"
        )
        return lines + trained.card.warnings
    }

    private static func brightness(of file: URL) -> Double? {
        guard let pixels = try? VisionImage(contentsOf: file).upright(in: PixelSize(width: 32, height: 32)) else {
            return nil
        }
        var sum = 0
        for row in 0..<pixels.height {
            for column in 0..<pixels.width {
                let plane = pixels.planes[0]
                let place = plane.data.startIndex + row * plane.bytesPerRow + 3 * column
                sum +=
                    299 * Int(plane.data[place]) + 587 * Int(plane.data[place + 1]) + 114 * Int(plane.data[place + 2])
            }
        }
        return Double(sum) / 1000 / Double(pixels.width * pixels.height)
    }

    /// The entry of a camera in the file of `sightline watch`.
    private func yaml(_ path: String) -> String {
        let numbers = [region.x, region.y, region.width, region.height].map { "\(Int($0.rounded()))" }
        var quoted = JSONText()
        quoted.string(path)
        return
            "state:\n  \(name): {region: \"\(numbers.joined(separator: ","))\", model: \(quoted.text), every: 1s, for: 3s}"
    }
}
