import CommandLineSupport
import ModelHub
import ModelHubProtocol

/// A model of a server and its shadow, as a command line names them.
package struct ShadowPair: Sendable {
    /// The source of the model that answers.
    package let served: ModelSource
    /// The shadow as the command line has it, without the name of the model.
    package let text: String

    /// The hub's model that the shadow is; nil for a model of this machine.
    package var remote: RemoteModel? {
        guard case .hub(let model)? = try? ModelSource(text) else { return nil }
        return model
    }

    /// Whether both are versions of one model of a hub, which counts how often they differ.
    package var isOfOneModel: Bool {
        guard case .hub(let model) = served else { return false }
        return model.alias == .production && model.name == remote?.name
    }

    /// Finds the model of each shadow: the one whose name is before `=`, otherwise the one of the same name on the hub, otherwise the only one.
    ///
    /// - Throws: `InputError` for a shadow without a model, and for a second shadow of a model.
    package static func pairs(_ texts: [String], of sources: [ModelSource]) throws(InputError) -> [ShadowPair] {
        var pairs: [ShadowPair] = []
        for text in texts {
            let pair = try pair(text, of: sources)
            guard !pairs.contains(where: { $0.served == pair.served }) else {
                throw InputError(
                    reason: "The model \(pair.served.name) has two shadows; name one --shadow for each model."
                )
            }
            guard pair.remote.map({ ModelSource.hub($0) != pair.served }) ?? true else {
                throw InputError(
                    reason: """
                        The shadow \(pair.text) is the model itself; name another version, such as \
                        hub:\(pair.served.name)@staging.
                        """
                )
            }
            pairs.append(pair)
        }
        return pairs
    }

    private static func pair(_ text: String, of sources: [ModelSource]) throws(InputError) -> ShadowPair {
        for source in sources where text.hasPrefix("\(source.name)=") {
            return ShadowPair(served: source, text: String(text.dropFirst(source.name.count + 1)))
        }
        let known = ShadowPair(served: .builtInDetector, text: text)
        if let remote = known.remote {
            let hosted = sources.filter { if case .hub(let model) = $0 { model.name == remote.name } else { false } }
            if hosted.count == 1 { return ShadowPair(served: hosted[0], text: text) }
        }
        if sources.count == 1 { return ShadowPair(served: sources[0], text: text) }
        let names = sources.map(\.name).joined(separator: ", ")
        throw InputError(
            reason: """
                --shadow \(text) does not say which model it belongs to; write --shadow MODEL=\(text) with one of the models \(names).
                """
        )
    }
}
