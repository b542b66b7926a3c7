import ModelHubProtocol
import TextFormatting

/// The comparisons of a model's versions, as a part of its page: how often they answered the same requests differently.
struct ShadowView: Sendable {
    struct Row: Sendable {
        var label: String
        var share: String
        var count: String
    }

    struct Comparison: Sendable {
        /// The two versions, with the names that clients know them by.
        var title: String
        /// The share of different answers, with its interval.
        var share: String
        var requests: String
        var source: String
        var rows: [Row]
        var hasRows: Bool
    }

    /// The numbers of comparisons and of labels on the page.
    private static let (comparisonLimit, labelLimit) = (5, 100)

    var comparisons: [Comparison]

    /// - Parameters:
    ///   - shadows: The comparisons, those with the latest reports first.
    ///   - model: Their model.
    init(_ shadows: [Shadow], of model: ModelRecord) {
        func name(_ version: Int) -> String {
            if version == model.file?.version { return "production (version \(version))" }
            let alias = model.aliases.filter { $0.value == version }.map(\.key.rawValue).min()
            return alias.map { "\($0) (version \(version))" } ?? "version \(version)"
        }
        comparisons = shadows.prefix(Self.comparisonLimit).map { shadow in
            let share = shadow.share
            let (first, last) = (ConsoleText.time(shadow.firstTime), ConsoleText.time(shadow.lastTime))
            return Comparison(
                title: "\(name(shadow.served)) and \(name(shadow.candidate))",
                share: share.text,
                requests: NumberText.grouped(share.count, "request"),
                source: NumberText.grouped(shadow.sums.devices, "app or server", "apps and servers")
                    + (first == last ? ", \(first) (UTC)" : ", from \(first) to \(last) (UTC)"),
                rows: shadow.labels.prefix(Self.labelLimit).map { label in
                    Row(
                        label: label.label,
                        share: DifferenceShare(count: label.count, different: label.different).text,
                        count: NumberText.grouped(label.count)
                    )
                },
                hasRows: !shadow.labels.isEmpty
            )
        }
    }
}

extension DifferenceShare {
    /// The share with its interval, for example `3.1 % (2.2–4.4)`.
    fileprivate var text: String {
        guard let percent else { return "–" }
        let number = { NumberText.decimal($0, 1) }
        return "\(number(percent)) % (\(number(lower))–\(number(upper)))"
    }
}

extension Console {
    /// The part of a model's page about the comparisons of its versions.
    func shadows(of model: ModelRecord) async throws -> ShadowView {
        ShadowView(try await hub.records.shadows(of: model.id), of: model)
    }
}
