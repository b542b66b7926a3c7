import Crypto
import Foundation
import SightlineTestSupport
import Testing

@testable import ModelHubServer

@Suite(.hangLimit)
struct RemoteConfigExpressionTests {
    /// The values that Firebase's own evaluator gives, computed with firebase_admin for Python 7.7.0.
    @Test(
        arguments: [
            ("", "123", 42_395_619), ("abcdef", "123", 9_571_542), ("model_ab_1", "fid-0001", 13_910_391),
            ("model_ab_1", "fid-0002", 76_551_691), ("model_ab_2", "fid-0001", 11_314_846),
            ("exp", "cNhkfwNGTdKmDmVVEs3Qz9", 14_431_766),
        ] as [(String, String, UInt32)]
    )
    func placesAreThoseOfFirebase(seed: String, id: String, place: UInt32) {
        #expect(PercentBucket.place(of: id, seed: seed) == place)
    }

    @Test func halfOfAHundredThousandInstallationsIsTheHalfThatFirebaseTakes() {
        let count = (0..<100_000).count { PercentBucket.place(of: "id-\($0)", seed: "model_ab_1") <= 50_000_000 }
        #expect(count == 50_171)
    }

    /// The same digest of the same places comes out of firebase_admin's evaluator, in Tests/Compatibility/remote_config_check.py.
    @Test func threeHundredThousandPlacesAreThoseOfFirebase() {
        var digest = SHA256()
        for seed in ["", "model_ab_1", "Exp-2.x"] {
            for number in 0..<100_000 {
                let place = PercentBucket.place(of: "id-\(number)", seed: seed)
                digest.update(data: withUnsafeBytes(of: place.bigEndian) { Data($0) })
            }
        }
        let text = Array(digest.finalize()).hexadecimalText
        #expect(text == "b125459e62814c22d00463e5715e06dc7ef1a57af78eb6ccbee22c333797cdca")
    }

    private func holds(_ expression: String, _ change: (inout ClientContext) -> Void = { _ in }) throws -> Bool {
        var client = ClientContext(installationID: "fid-0001")
        client.appID = "1:1234:ios:ab12"
        client.country = "DE"
        client.language = "de-AT"
        client.appVersion = "2.10.1"
        client.appBuild = "77"
        client.customSignals = ["city": "Graz", "age": "18", "version": "1.2.3"]
        client.userProperties = ["plan": "pro beta", "score": "0.5"]
        change(&client)
        var names = ConditionNames()
        let condition = CompiledCondition(try ConditionExpression(expression), names: &names)
        var state = EvaluationState(
            client: client,
            // 2027-01-15T08:00:00Z
            now: Timestamp(milliseconds: 1_800_000_000_000),
            names: names
        )
        return condition.holds(&state)
    }

    @Test(arguments: [
        "true", "device.os == 'ios'", "device.os in ['android', 'ios']", "app.id == '1:1234:ios:ab12'",
        "device.country in ['US','DE']", "device.country in ['de']", "device.language in ['de']",
        "device.language in ['de-AT']", "app.version.>=(['2.9'])", "app.version.<(['3'])",
        "app.version.==(['2.10.1.0'])",
        "app.version.!=(['2.10'])", "app.version.exactlyMatches(['2.10.1', 'x'])", "app.version.contains(['10'])",
        "app.version.notContains(['beta', 'alpha'])", "app.build.>(['9'])", "app.build.exactlyMatches(['77'])",
        "firebaseInstallationId in ['a','fid-0001']", "app.firebaseInstallationId in ['fid-0001']",
        "app.userProperty['plan'].contains(['beta'])", "app.userProperty['score'] <= 0.5",
        "app.customSignal['city'].exactlyMatches([' Graz '])", "app.customSignal['age'] >= 18",
        "app.customSignal['age'] != 17.5", "version(app.customSignal['version']) >= '1.2'",
        "version(app.customSignal['version']) == '1.2.3.0.0'", "dateTime >= dateTime('2027-01-15T08:00:00')",
        "dateTime < dateTime('2027-01-15T09:00:01', 'Europe/Berlin')",
        "dateTime >= dateTime('2027-01-15T09:00:00', 'Europe/Berlin')",
        // fid-0001 stands at 13.910391 for this seed.
        "percent('model_ab_1') <= 13.910391", "percent('model_ab_1') > 13.91039",
        "percent('model_ab_1') between 13.91039 and 13.910391", "percent <= 100",
        "device.language in ['de_AT']", "app.version.matches(['^2\\\\.1\\\\d'])",
        "app.customSignal['city'].matches(['x', '(?i)gRA'])",
        "device.os == 'ios' && device.country in ['DE'] && percent('model_ab_1') <= 14",
        "(device.os == 'ios' && (true))", "percent ('model_ab_1')<=14&&true",
    ])
    func holds(expression: String) throws {
        #expect(try holds(expression))
    }

    @Test(arguments: [
        "false", "device.os == 'android'", "device.country in ['AT']", "device.language in ['at', 'en']",
        "app.version.<(['2.9'])", "app.version.>(['2.10.1'])", "app.version.notContains(['10'])",
        "app.userProperty['none'].notContains(['x'])", "app.customSignal['city'] > 1", "app.customSignal['none'] != 1",
        "version(app.customSignal['city']) != '1'", "dateTime < dateTime('2027-01-15T08:00:00')",
        "app.firstOpenTimestamp <= ('2027-01-15T08:00:00')", "app.version.matches(['^10'])",
        "app.userProperty['none'].matches([''])", "percent('model_ab_1') <= 13.91039",
        "percent('model_ab_1') between 13.910391 and 20", "true && false",
    ])
    func doesNotHold(expression: String) throws {
        #expect(try !holds(expression))
    }

    @Test func withoutAnIdNoPercentHolds() throws {
        #expect(try !holds("percent <= 100") { $0.installationID = nil })
        #expect(try !holds("percent > 0") { $0.installationID = nil })
    }

    @Test(arguments: [
        ("", 1, "a term is missing"), ("percent", 8, "expected <=, > or \"between\""),
        ("percent <=", 11, "a number from 0 to 100"), ("percent > .5", 11, "a number from 0 to 100"),
        ("percent <= 101", 12, "a number from 0 to 100"), ("percent <= 1.1234567", 12, "at most six decimals"),
        ("percent between 5 and 3", 23, "below the lower bound"), ("percent('a b') <= 1", 9, "a seed has up to 32"),
        ("device.os == ios", 14, "expected a text in quotes"), ("device.os == 'ios", 14, "no closing quote"),
        ("device.country in []", 20, "expected a text in quotes"), ("true || false", 6, "|| is not supported"),
        ("!true", 1, "! is not supported"), ("true &&", 8, "a term is missing"),
        ("true true", 6, "expected && or the end"),
        ("device.name == 'x'", 1, "\"device.name\" is unknown"),
        ("app.version.startsWith(['1'])", 13, "\"startsWith\" is not a comparison"),
        ("app.version.>=(['x'])", 16, "is not a version"),
        ("dateTime > dateTime('2027-02-30T00:00:00')", 21, "is not a time"),
        ("dateTime > dateTime('2027-02-03T00:00:00', 'Atlantis/Center')", 21, "in a zone \"Atlantis/Center\""),
        ("version(app.version) > '1'", 9, "expected app.customSignal"), ("(true", 6, "expected )"),
        ("device.dateTime > dateTime('2027-02-03T00:00:00')", 1, "write dateTime"),
        ("app.customSignal['a'] < 1e-5", 25, "a number has no exponent"),
        ("app.version.matches(['a', '(b'])", 21, "the pattern \"(b\" is not supported: a parenthesis is not closed"),
        ("'ü' == 'x'", 1, "expected a term"), ("device.os == 'ü' x", 18, "expected && or the end"),
    ])
    func whatIsWrongIsSaidWithItsCharacter(expression: String, character: Int, reason: String) {
        let failure = #expect(throws: ExpressionFailure.self) { try ConditionExpression.parse(expression) }
        #expect(failure?.character == character)
        #expect(failure?.reason.contains(reason) == true, "\(failure?.reason ?? "")")
    }

    @Test func lengthNestingAndNumbersAreBounded() {
        let deep = String(repeating: "(", count: 5000) + "true" + String(repeating: ")", count: 5000)
        let long = Array(repeating: "true", count: 51).joined(separator: "&&")
        let list = "device.country in [" + Array(repeating: "'a'", count: 1001).joined(separator: ",") + "]"
        for (text, reason) in [
            (deep, "nest deeper than 10"), (long, "more than 50 terms"), (list, "more than 1000 values"),
            (String(repeating: " ", count: 20_000), "longer than 16384 bytes"),
        ] {
            let failure = #expect(throws: ExpressionFailure.self) { try ConditionExpression.parse(text) }
            #expect(failure?.reason.contains(reason) == true)
        }
    }

    @Test func anExpressionOfAnyTermsIsReadAsItWasWritten() throws {
        var random = RepeatableRandom(seed: 7)
        var kinds: Set<ObjectIdentifier> = []
        for _ in 0..<5000 {
            let expression = ConditionExpression(
                terms: (0..<Int.random(in: 1...4, using: &random)).map { _ in term(&random) }
            )
            for term in expression.terms { kinds.insert(ObjectIdentifier(type(of: term))) }
            #expect(try ConditionExpression.parse(expression.description) == expression, "\(expression)")
        }
        #expect(kinds == Set(ConditionExpression.kinds.map { ObjectIdentifier($0) }), "a kind of term is never drawn")
    }

    @Test func theConsoleKeepsAllTerms() throws {
        var random = RepeatableRandom(seed: 11)
        for _ in 0..<2000 {
            let expression = ConditionExpression(
                terms: (0..<Int.random(in: 1...4, using: &random)).map { _ in term(&random) }
            )
            // The menus refuse unknown countries and languages.
            guard expression.terms.allSatisfy({ $0.warnings.isEmpty }) else { continue }
            let menus = ConditionMenus(expression: expression.description)
            #expect(try menus.whole().hasSameTerms(as: expression), "\(expression)")
        }
    }

    @Test func everyNumberIsReadAsTheNumberThatWasWritten() throws {
        var random = RepeatableRandom(seed: 9)
        let special = [
            0.00001, 1e-300, .leastNonzeroMagnitude, 1e16, 1e300, Double(Int64.max), -1e-7, 0.1, -0.0, 123_456_789.125,
        ]
        let drawn = (0..<5000).map { _ in Double(bitPattern: random.next()) }.filter(\.isFinite)
        for number in special + drawn {
            let expression = ConditionExpression(terms: [
                NumberTerm(subject: .customSignal("score"), comparison: .less, value: number)
            ])
            #expect(try ConditionExpression.parse(expression.description) == expression, "\(number)")
            // The form of the console shows and saves it.
            #expect(try ConditionMenus(expression: expression.description).whole() == expression, "\(number)")
        }
    }

    @Test func allVersionsOfASignalAreWritten() throws {
        let text = "app.customSignal['firmware'].>=(['1.2', '3'])"
        #expect(try ConditionExpression.parse(text).description == text)
    }

    @Test func theFirstOpeningIsWrittenAsFirebaseWritesIt() throws {
        let texts = [
            "firstOpenTimestamp >= dateTime('2025-01-01T00:00:00', 'UTC')",
            "app.firstOpenTimestamp >= ('2025-01-01T00:00:00', 'UTC')",
        ]
        #expect(try ConditionExpression.parse(texts[0]) == ConditionExpression.parse(texts[1]))
    }

    /// Firebase's SDKs for desktops write the region after an underscore.
    @Test(arguments: [("en_US", true), ("en-US", true), ("en", false), ("en_GB", false)])
    func aLanguageIsTheSameWithAnUnderscore(language: String, isMeant: Bool) throws {
        #expect(try holds("device.language in ['en-US']") { $0.language = language } == isMeant)
    }

    /// Java and Android keep codes that were replaced; systems write scripts, regions and extensions differently.
    @Test(arguments: [
        ("he", "iw-IL", true), ("iw", "he_IL", true), ("id", "in", true), ("yi", "ji", true), ("jv", "jw-ID", true),
        ("ro", "mo", true), ("fil", "tl-PH", true), ("no", "nb-NO", true), ("sr-Latn", "sh", true), ("he", "hi", false),
        ("zh-CN", "zh-Hans-CN", true), ("zh-Hans", "zh-CN", true), ("zh-TW", "zh_TW_#Hant", true),
        ("zh-Hant", "zh-HK", true),
        ("zh-Hans", "zh-TW", false), ("zh-Hans", "zh-Hans-SG", true), ("ar-EG", "ar-EG-u-nu-latn", true),
        ("de-AT", "de-CH", false), ("de-AT", "de", false), ("en", "", false),
    ])
    func formerCodesAndScriptsOfALanguageAreTheSameLanguage(value: String, language: String, isMeant: Bool) throws {
        #expect(try holds("device.language in ['\(value)']") { $0.language = language } == isMeant)
    }

    @Test func noTextMakesTheParserTrap() {
        var random = RepeatableRandom(seed: 8)
        let pieces = [
            "percent", "('a')", "<=", "10", "&&", "device.os", "==", "'", "ios", "app.version", ".", ">=", "([", "])",
            "in",
            "[", "]", ",", "dateTime", "\\", "ü", "\u{0}", "app.customSignal", "version(", "between", "and", " ", "(",
            ")", "9e99",
        ]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }
            .joined()
            if let expression = try? ConditionExpression.parse(text) {
                #expect((try? ConditionExpression.parse(expression.description)) == expression)
            }
        }
    }

    /// A term of any kind, with every value that the kind can have.
    private func term(_ random: inout RepeatableRandom) -> any ConditionTerm {
        func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }
        func draw<Value>(_ values: [Value]) -> Value { values[number(0...values.count - 1)] }
        func text() -> String {
            // A combining mark joins the character before it, so that a quote may be half a character.
            let letters = [
                "a", "B", "'", "\"", "\\", " ", "\n", "ü", "\u{301}", "\u{0}", "1", "]", ",", "&&", "🌻", "\r\n",
            ]
            return (0..<number(0...5)).map { _ in draw(letters) }.joined()
        }
        func texts() -> [String] { (0..<number(1...3)).map { _ in draw([text(), "DE", "de-AT", "ios"]) } }
        func keyed() -> ConditionSubject { draw([.userProperty(text()), .customSignal(text())]) }
        func quantity() -> ConditionSubject { draw([.appVersion, .appBuild, keyed()]) }
        func version() -> SemanticVersion? {
            SemanticVersion(
                (0..<number(1...5)).map { _ in draw(["0", "007", "\(number(0...999))"]) }.joined(separator: ".")
            )
        }
        func bound() -> UInt32 { draw([UInt32(number(0...100)) * 1_000_000, UInt32(number(0...100_000_000))]) }
        let comparison = draw(Comparison.allCases)
        switch number(0...7) {
        case 0: return ConstantTerm(value: Bool.random(using: &random))
        case 1: return MemberTerm(subject: draw([.os, .appID, .installationID]), values: texts())
        case 2: return LocaleTerm(subject: draw([.country, .language]), values: texts())
        case 3:
            let versions = (0..<number(1...3)).compactMap { _ in version() }
            return VersionTerm(subject: quantity(), comparison: comparison, versions: versions)
        case 4:
            let comparison = draw(TextTerm.Comparison.allCases)
            let patterns = ["a+", "[0-9]{1,2}\\.\\d", "(?i)it's|\"b\"", ""]
            let values = comparison == .matches ? (0..<number(1...3)).map { _ in draw(patterns) } : texts()
            return TextTerm(subject: quantity(), comparison: comparison, values: values)
        case 5:
            let value = Double(bitPattern: random.next())
            let other = Double(number(-999...999)) / 8
            return NumberTerm(subject: keyed(), comparison: comparison, value: value.isFinite ? value : other)
        case 6:
            let (lower, upper) = (bound(), bound())
            return PercentTerm(
                seed: draw(["", "s_1", "Model.v-2"]),
                range: draw([.lessOrEqual(lower), .greater(lower), .between(min(lower, upper), max(lower, upper))])
            )
        default:
            let text = "20\(number(10...99))-0\(number(1...9))-\(number(10...28))T08:00:0\(number(0...9))"
            guard let time = ConditionTime(text, zone: draw([nil, "UTC", "Europe/Berlin", "Asia/Kathmandu"])) else {
                return ConstantTerm(value: false)
            }
            return TimeTerm(subject: draw([.now, .firstOpen]), comparison: comparison, time: time)
        }
    }
}
