import Foundation
import TensorFlowLite

extension LocalModel {
    /// The names of the classes as a text with one name a line, to be packed into the model: every reader of TensorFlow Lite's
    /// metadata expects that form, whatever form the label file has.
    ///
    /// Names of a background that the model does not count are left out.
    ///
    /// - Parameter labels: the label file.
    /// - Throws: `LocalModelError.labels` if the file cannot be read, `.labelCount` if it has another number of names than the model
    ///   has classes, and other errors if the model cannot be read.
    package func packedLabels(from labels: URL) throws(LocalModelError) -> Data {
        var model = self
        model.labels = labels
        let names: [String]
        do {
            let files = try ModelFiles(model)
            names = try files.fittingNames() ?? files.labels?.list.names ?? []
        } catch .unusable(_, .unsupported) {
            // Other runtimes may run the model, so its classes are not known here.
            names = try LabelList(contentsOf: labels).names
        }
        return Data((names.joined(separator: "\n") + "\n").utf8)
    }

    /// Refuses labels that the file itself brings and that are more or fewer than its classes.
    ///
    /// - Throws: `LocalModelError.labelCount`, and other errors if the model cannot be read.
    package func checkLabels() throws(LocalModelError) { _ = try ModelFiles(self).fittingNames() }
}

extension ModelFiles {
    /// The names of the classes; nil for a model that is neither a classifier nor a detector.
    ///
    /// - Throws: `LocalModelError.labelCount`.
    fileprivate func fittingNames() throws(LocalModelError) -> [String]? {
        do {
            return try Classifier(files: self).names.names
        } catch .labelCount(let model, let source, let labels, let classes) {
            throw .labelCount(model: model, source: source, labels: labels, classes: classes)
        } catch {}
        do {
            return try DetectionModel(files: self).names.names
        } catch let error as LocalModelError {
            if case .labelCount = error { throw error }
            return nil
        } catch {
            return nil
        }
    }
}
