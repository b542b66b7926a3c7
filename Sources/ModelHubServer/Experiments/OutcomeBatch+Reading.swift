import Crypto
import Foundation
import ModelHubProtocol

extension OutcomeBatch {
    /// The limits of a batch.
    enum Limits {
        static let textLength = 64 << 10
        static let outcomes = 50
        static let scores = 20
        /// The number of counts, latencies and scores of different models and variants. The database writes two rows
        /// for each.
        static let records = 50
        /// The number of results in a batch.
        static let count = 1_000_000
        /// The magnitude of a score, or of a latency in milliseconds.
        static let value = 1e9
    }

    /// Reads a batch from a client.
    ///
    /// - Parameters:
    ///   - bytes: The documented JSON.
    ///   - installation: The installation's id, if it is known.
    /// - Throws: `.invalidArgument` with the position of the mistake.
    init(_ bytes: [UInt8], installation: String?) throws(HubError) {
        let node = try JSONNode.document(bytes, called: "The batch")
        do throws(TemplateFailure) {
            let fields = try node.fields(["batchId", "outcomes", "shadows"], of: "the batch")
            id = try node.required("batchId", fields, "the batch").text("batchId")
            guard (8...64).contains(id.utf8.count), Experiment.isID(String(id.prefix(40))),
                Experiment.isID(String(id.suffix(40)))
            else { throw node.failure("batchId", "it has 8 to 64 letters, digits, hyphens and underscores") }
            let seed = installation.map { "installation \($0)" } ?? "batch \(id)"
            self.installation = Array(SHA256.hash(data: Data(seed.utf8)).prefix(16))
            let outcomes = try node.required("outcomes", fields, "the batch").elements("outcomes")
            guard outcomes.count <= Limits.outcomes else {
                throw node.failure("outcomes", "there are \(outcomes.count), more than \(Limits.outcomes)")
            }
            records = []
            for (index, outcome) in outcomes.enumerated() {
                records += try Self.records(of: outcome, "outcomes[\(index)]")
            }
            records = records.merged()
            let compared = try fields["shadows"]?.elements("shadows") ?? []
            guard compared.count <= ShadowOutcome.Limits.shadows else {
                throw node.failure("shadows", "there are \(compared.count), more than \(ShadowOutcome.Limits.shadows)")
            }
            for (index, shadow) in compared.enumerated() {
                shadows.append(try ShadowOutcome(shadow, "shadows[\(index)]"))
            }
            guard records.count <= Limits.records else {
                throw node.failure(
                    "outcomes",
                    "there are \(records.count) counts, latencies and scores in total, more than \(Limits.records); send several batches"
                )
            }
        } catch {
            throw HubError(
                .invalidArgument,
                "The batch is wrong at \(TextPlace(bytes, offset: error.offset)), \(error.path): \(error.reason)."
            )
        }
    }

    private static func records(of node: JSONNode, _ path: String) throws(TemplateFailure) -> [Record] {
        let known = ["experimentId", "variantId", "model", "count", "latency", "scores"]
        let fields = try node.fields(known, of: path)
        func name(_ key: String, _ limit: Int) throws(TemplateFailure) -> String {
            let field = try node.required(key, fields, path)
            let text = try field.text("\(path).\(key)")
            guard text.utf8.count <= limit, Experiment.isID(String(text.prefix(40))),
                Experiment.isID(String(text.suffix(40)))
            else {
                throw field.failure("\(path).\(key)", "it has 1 to \(limit) letters, digits, hyphens and underscores")
            }
            return text
        }
        let base = Record(
            experiment: try name("experimentId", 40),
            variant: try name("variantId", 40),
            model: try name("model", 60),
            metric: .results,
            count: try node.required("count", fields, path).count("\(path).count"),
            sum: 0,
            squares: 0
        )
        var records = [base]
        if let latency = fields["latency"] {
            records.append(try record(latency, .latency, base, "\(path).latency"))
        }
        let scores = try fields["scores"]?.members("\(path).scores") ?? []
        guard scores.count <= Limits.scores else {
            throw node.failure("\(path).scores", "there are \(scores.count), more than \(Limits.scores)")
        }
        for score in scores {
            let path = "\(path).scores.\(score.key.prefix(60))"
            guard OutcomeMetric.isScoreName(score.key) else {
                throw score.value.failure(
                    path,
                    "the name of a score has 1 to 40 letters, digits and underscores and does not begin with a digit"
                )
            }
            records.append(try record(score.value, .score(score.key), base, path))
        }
        return records
    }

    private static func record(
        _ node: JSONNode,
        _ metric: OutcomeMetric,
        _ base: Record,
        _ path: String
    ) throws(TemplateFailure) -> Record {
        let fields = try node.fields(["count", "sum", "squares", "histogram"], of: path)
        var record = base
        record.metric = metric
        record.count = try node.required("count", fields, path).count(path + ".count")
        record.sum = try node.required("sum", fields, path).value(path + ".sum")
        record.squares = try node.required("squares", fields, path).value(path + ".squares")
        let count = Double(record.count)
        guard abs(record.sum) <= count * Limits.value, metric != .latency || record.sum >= 0 else {
            throw node.failure(path, "the sum cannot be that of \(record.count) such values")
        }
        // The Cauchy-Schwarz inequality, except for rounding; and no value may exceed the limit.
        guard record.squares >= record.sum * record.sum / count * (1 - 1e-6),
            record.squares <= count * Limits.value * Limits.value
        else { throw node.failure(path, "the sum of squares does not fit the sum") }
        for member in try fields["histogram"]?.members(path + ".histogram") ?? [] {
            guard metric == .latency, let bucket = Int(member.key), (0..<LatencyBucket.count).contains(bucket) else {
                throw member.value.failure(
                    path + ".histogram",
                    "\"\(member.key.prefix(20))\" is not a bucket from 0 to \(LatencyBucket.count - 1)"
                )
            }
            record.histogram[bucket] = try member.value.count(path + ".histogram")
        }
        guard metric != .latency || record.histogram.values.reduce(0, +) == record.count else {
            throw node.failure(path + ".histogram", "its buckets do not have \(record.count) values in total")
        }
        return record
    }
}

extension JSONNode {
    fileprivate func count(_ path: String) throws(TemplateFailure) -> Int {
        guard case .number(let text) = content, let value = Int(text),
            (1...OutcomeBatch.Limits.count).contains(value)
        else { throw failure(path, "it is not a whole number from 1 to \(OutcomeBatch.Limits.count)") }
        return value
    }

    fileprivate func value(_ path: String) throws(TemplateFailure) -> Double {
        guard case .number(let text) = content, let value = Double(text), value.isFinite else {
            throw failure(path, "it is not a number")
        }
        return value
    }
}
