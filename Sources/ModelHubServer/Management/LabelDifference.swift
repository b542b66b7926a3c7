import Sightline

/// The labels that apps get, no longer get, or get under another name after a change of the served version.
package struct LabelDifference: Sendable, Hashable {
    /// A label whose place has another name.
    package struct Renaming: Sendable, Hashable {
        package var old, new: String
    }

    package var added: [String] = []
    package var removed: [String] = []
    package var renamed: [Renaming] = []
    /// The number of labels that both have at other places.
    package var movedCount = 0

    /// Compares two lists of labels. Where both have a name at a place that the other list lacks, it is a renaming.
    ///
    /// - Returns: Nil if the lists are equal.
    package init?(from old: [String], to new: [String]) {
        guard old != new else { return nil }
        let (before, after) = (Set(old), Set(new))
        for index in 0..<max(old.count, new.count) {
            let gone = index < old.count && !after.contains(old[index]) ? old[index] : nil
            let come = index < new.count && !before.contains(new[index]) ? new[index] : nil
            switch (gone, come) {
            case (let gone?, let come?): renamed.append(.init(old: gone, new: come))
            case (let gone?, nil): removed.append(gone)
            case (nil, let come?): added.append(come)
            case (nil, nil): break
            }
        }
        movedCount = new.enumerated().count { index, label in
            before.contains(label) && (index >= old.count || old[index] != label)
        }
    }

    /// Compares the labels of two descriptions.
    ///
    /// - Returns: Nil if they are equal, or a description lacks labels or leaves some out.
    package init?(from old: ModelInspection?, to new: ModelInspection?) {
        guard let old = old?.labels, let new = new?.labels, old.first.count == old.count, new.first.count == new.count
        else { return nil }
        self.init(from: old.first, to: new.first)
    }

    /// One line for each label, such as `+ tulip`, `- rose` and `rose -> red rose`.
    package var lines: [String] {
        let moved = movedCount == 0 ? [] : ["\(movedCount) at other places of the list"]
        return renamed.map { "\($0.old) -> \($0.new)" } + removed.map { "- \($0)" } + added.map { "+ \($0)" } + moved
    }
}

extension Hub {
    /// The differences of the labels of two versions of a model: a sentence, and the labels one by one where they are known.
    func labelDifference(
        of model: Int64,
        from old: Int?,
        to new: Int
    ) async throws -> (sentence: String, labels: LabelDifference?)? {
        guard let old, old != new else { return nil }
        var versions: [ModelVersion] = []
        for number in [old, new] {
            if let version = try await records.version(number, of: model) { versions.append(version) }
        }
        guard versions.count == 2, let sentence = versions.labelChange(from: old, to: new) else { return nil }
        return (sentence, LabelDifference(from: versions[0].described, to: versions[1].described))
    }
}
