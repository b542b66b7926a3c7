/// A regular expression in the syntax of RE2, which Firebase's conditions use.
///
/// The search takes a time that grows with the length of the text times ``size`` for every expression: the pattern
/// is a nondeterministic automaton, all of whose states advance together (Thompson's construction; Cox, "Regular
/// Expression Matching Can Be Simple And Fast"). Engines that try alternatives one by one can take exponential time.
struct TextPattern: Sendable {
    /// A step of the automaton.
    enum Step: Sendable {
        /// Reads a scalar of the set, and continues with the next step.
        case read(ScalarSet)
        /// Continues with both steps.
        case fork(Int, Int)
        /// Continues with another step.
        case jump(Int)
        /// Continues with the next step where the assertion is true.
        case assert(PatternAssertion)
        case match
    }

    private let steps: [Step]
    private let ignoresCase: Bool

    /// The number of steps, which limits the duration of a search.
    var size: Int { steps.count }

    /// The maximum ``size``.
    static let maximumSize = 1000

    /// - Throws: The reason why the text is not a supported expression.
    init(_ text: String) throws(PatternFailure) {
        var parser = PatternParser(text)
        var program = PatternProgram()
        try program.add(try parser.whole())
        try program.append(.match)
        steps = program.steps
        ignoresCase = steps.contains { if case .read(let set) = $0 { set.ignoresCase } else { false } }
    }

    /// Whether a part of the text matches.
    func matches(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        // Once for each scalar and not once for each step.
        let forms = ignoresCase ? scalars.map { ScalarSet.forms(of: $0) } : scalars.map { [$0] }
        var current = StepSet(count: steps.count)
        var next = StepSet(count: steps.count)
        for position in 0...scalars.count {
            // A match may begin at each position.
            if follow(0, at: position, of: scalars, into: &current) { return true }
            guard position < scalars.count else { break }
            for step in current.reading {
                guard case .read(let set) = steps[step], set.contains(forms[position]) else { continue }
                if follow(step + 1, at: position + 1, of: scalars, into: &next) { return true }
            }
            swap(&current, &next)
            next.removeAll()
        }
        return false
    }

    /// The steps that are reached at a position.
    private struct StepSet {
        private var isReached: [Bool]
        /// The reached steps that read a scalar.
        private(set) var reading: [Int] = []
        private var reached: [Int] = []

        init(count: Int) { isReached = Array(repeating: false, count: count) }

        /// Adds a step; false if it was reached before.
        mutating func insert(_ step: Int) -> Bool {
            guard !isReached[step] else { return false }
            isReached[step] = true
            reached.append(step)
            return true
        }

        mutating func addReading(_ step: Int) { reading.append(step) }

        mutating func removeAll() {
            for step in reached { isReached[step] = false }
            reached.removeAll(keepingCapacity: true)
            reading.removeAll(keepingCapacity: true)
        }
    }

    /// Adds a step, and all steps that follow without reading; true if the match is among them.
    private func follow(
        _ first: Int,
        at position: Int,
        of scalars: [Unicode.Scalar],
        into set: inout StepSet
    ) -> Bool {
        var waiting = [first]
        while let step = waiting.popLast() {
            guard set.insert(step) else { continue }
            switch steps[step] {
            case .read: set.addReading(step)
            case .fork(let one, let other): waiting += [other, one]
            case .jump(let target): waiting.append(target)
            case .assert(let assertion):
                if assertion.holds(at: position, of: scalars) { waiting.append(step + 1) }
            case .match: return true
            }
        }
        return false
    }
}

/// The reason why a text is not a supported regular expression, as part of a sentence.
struct PatternFailure: Error, Hashable {
    var reason: String
}

/// A condition on a position of a text.
enum PatternAssertion: Sendable, Hashable {
    case textStart, textEnd, lineStart, lineEnd, wordBoundary, noWordBoundary

    func holds(at position: Int, of scalars: [Unicode.Scalar]) -> Bool {
        let before = position > 0 ? scalars[position - 1] : nil
        let after = position < scalars.count ? scalars[position] : nil
        func isWord(_ scalar: Unicode.Scalar?) -> Bool { scalar.map { ScalarSet.word.contains([$0]) } ?? false }
        return switch self {
        case .textStart: before == nil
        case .textEnd: after == nil
        case .lineStart: before == nil || before == "\n"
        case .lineEnd: after == nil || after == "\n"
        case .wordBoundary: isWord(before) != isWord(after)
        case .noWordBoundary: isWord(before) == isWord(after)
        }
    }
}

/// The steps of an automaton under construction.
private struct PatternProgram {
    var steps: [TextPattern.Step] = []
    /// The number of visited nodes, which bounds the work for repetitions of nothing.
    private var visits = 0

    mutating func append(_ step: TextPattern.Step) throws(PatternFailure) {
        guard steps.count < TextPattern.maximumSize else { throw Self.tooLarge }
        steps.append(step)
    }

    private static let tooLarge = PatternFailure(
        reason: "it has more than \(TextPattern.maximumSize) steps; shorten it, or repeat less"
    )

    mutating func add(_ node: PatternNode) throws(PatternFailure) {
        visits += 1
        guard visits <= 20 * TextPattern.maximumSize else { throw Self.tooLarge }
        switch node {
        case .empty: return
        case .set(let set): try append(.read(set))
        case .assertion(let assertion): try append(.assert(assertion))
        case .sequence(let nodes):
            for node in nodes { try add(node) }
        case .choice(let nodes): try add(choice: nodes[...])
        case .repeated(let node, let least, let most):
            for _ in 0..<least { try add(node) }
            guard let most else { return try add(anyNumberOf: node) }
            var forks: [Int] = []
            for _ in least..<max(least, most) {
                forks.append(steps.count)
                try append(.fork(steps.count + 1, 0))
                try add(node)
            }
            for fork in forks { steps[fork] = .fork(fork + 1, steps.count) }
        }
    }

    private mutating func add(choice nodes: ArraySlice<PatternNode>) throws(PatternFailure) {
        var jumps: [Int] = []
        for (index, node) in zip(nodes.indices, nodes) {
            guard index < nodes.index(before: nodes.endIndex) else {
                try add(node)
                break
            }
            let fork = steps.count
            try append(.fork(fork + 1, 0))
            try add(node)
            jumps.append(steps.count)
            try append(.jump(0))
            steps[fork] = .fork(fork + 1, steps.count)
        }
        for jump in jumps { steps[jump] = .jump(steps.count) }
    }

    private mutating func add(anyNumberOf node: PatternNode) throws(PatternFailure) {
        let fork = steps.count
        try append(.fork(fork + 1, 0))
        try add(node)
        try append(.jump(fork))
        steps[fork] = .fork(fork + 1, steps.count)
    }
}
