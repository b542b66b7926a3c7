import Foundation
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// The forms for conditions and for parameters whose values name models.
@Suite(.hangLimit)
struct ConfigFormTests {
    @Test(arguments: [
        ("device.os == 'ios'", \ConditionMenus.platform, "ios"),
        ("device.os in ['linux']", \.platform, "linux"),
        ("app.id in ['1:1:ios:a', '1:1:ios:b']", \.apps, "1:1:ios:a, 1:1:ios:b"),
        ("app.version.>=(['2.1.0'])", \.version, "2.1.0"),
        ("app.version.!=(['2.1.0'])", \.comparison, "!="),
        ("device.country in ['AT', 'DE']", \.countries, "AT, DE"),
        ("device.language in ['de']", \.languages, "de"),
        ("percent <= 10", \.percent, "10"),
        ("percent('flowers') <= 0", \.seed, "flowers"),
    ])
    func aMenuShowsItsTerm(_ text: String, _ field: KeyPath<ConditionMenus, String> & Sendable, _ value: String) throws
    {
        let menus = ConditionMenus(expression: text)
        #expect(menus[keyPath: field] == value && menus.expression.isEmpty)
        #expect(try menus.whole() == ConditionExpression(text))
    }

    @Test(arguments: [
        "percent > 10", "percent <= 0.5", "percent <= 100", "percent('a') between 0 and 50",
        "app.version.>=(['1', '2'])",
        "app.version.contains(['beta'])", "device.country in ['a,b']", "device.os in ['ios', 'web']",
        "app.customSignal['plan'].exactlyMatches(['it\\'s'])", "true",
        "dateTime >= dateTime('2027-01-01T00:00:00', 'Europe/Berlin')",
    ])
    func otherTermsStayAsTheyAre(_ text: String) throws {
        let menus = ConditionMenus(expression: text)
        var expected = ConditionMenus()
        expected.expression = try ConditionExpression(text).description
        #expect(menus == expected)
        #expect(try menus.whole() == ConditionExpression(text))
        #expect(try menus.text(replacing: text) == text)
    }

    @Test func twoTermsOfAKindAreBothKept() throws {
        let text = "percent('a') <= 50 && percent('b') <= 50 && device.os == 'ios' && device.country in ['AT']"
        let menus = ConditionMenus(expression: text)
        #expect(menus.seed == "a" && menus.expression == "percent('b') <= 50")
        #expect(try Set(menus.whole().terms) == Set(ConditionExpression(text).terms))
        // Saving a form without changes does not change the text.
        #expect(try menus.text(replacing: text) == text)
    }

    @Test func aWrongFieldIsNamed() {
        func problem(_ change: (inout ConditionMenus) -> Void) -> String {
            var menus = ConditionMenus()
            change(&menus)
            do {
                return try menus.whole().description
            } catch {
                return error.message
            }
        }
        #expect(problem { _ in }.contains("selects all installations"))
        #expect(problem { $0.percent = "100" }.contains("selects all installations"))
        #expect(problem { $0.percent = "12.5" }.contains("is not a share"))
        #expect(problem { $0.comparison = ">=" }.contains("is not a version"))
        #expect(problem { ($0.percent, $0.seed) = ("5", "a b") }.contains("a seed has up to 32 letters"))
        #expect(problem { $0.expression = "a || b" }.contains("wrong at character 1"))
        #expect(problem { $0.platform = "it's" } == "device.os == 'it\\'s'")
    }

    /// A hub with a published model `plants` and a model `draft`, and a browser of a publisher.
    private func browse(
        _ body: @escaping @Sendable (TestHub, TestClient, ConsoleClient) async throws -> Void
    ) async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                _ = try await client.publish("plants", file: fakeModel())
                _ = try await client.create("draft", file: fakeModel(2))
                try await body(test, client, try await ConsoleClient.signedIn(client, test.publisher))
            }
        }
    }

    private func etag(_ browser: ConsoleClient) async throws -> String {
        let text = try await browser.get("/console/config/json").text
        return String(try #require(text.firstMatch(of: /name="etag" value="([^"]+)"/)).1)
    }

    @Test func aConditionIsMadeFromMenus() async throws {
        try await browse { test, _, browser in
            let fields = [
                "etag": try await etag(browser), "name": "Some", "color": "", "platform": "ios", "comparison": ">=",
                "version": "2.1", "countries": "AT,DE", "percent": "20", "expression": "app.build.>=(['7'])",
            ]
            #expect(try await browser.post("/console/config/conditions/%2B", fields).status == 303)
            let template = try await test.hub.configTemplate(by: .local(try await test.hub.testProject())).template
            #expect(
                template.conditions.map(\.expression) == [
                    "device.os == 'ios' && app.version.>=(['2.1']) && device.country in ['AT', 'DE'] && percent <= 20 && app.build.>=(['7'])"
                ]
            )
            let page = try await browser.get("/console/config/conditions/Some").text
            #expect(
                page.contains("<option value=\"ios\" selected>iOS")
                    && page.contains("name=\"countries\" type=\"text\" value=\"AT, DE\"")
            )
            #expect(
                page.contains("<option value=\"AT\">Austria</option>")
                    && page.contains("<option value=\"de\">German</option>")
            )
            var wrong = fields
            wrong["etag"] = try await etag(browser)
            wrong["percent"] = "120"
            let refused = try await browser.post("/console/config/conditions/Some", wrong)
            #expect(refused.status == 400 && refused.text.contains("is not a share of the installations"))
            #expect(
                refused.text.contains("name=\"percent\" type=\"number\" min=\"0\" max=\"100\" step=\"1\" value=\"120\"")
            )
            let live = try await browser.get("/console/config/expression?platform=web&percent=5")
            #expect(live.text("expression") == "device.os == 'web' && percent <= 5")
        }
    }

    @Test func aParameterOffersTheModelsAndWarnsAboutOthers() async throws {
        try await browse { test, client, browser in
            func publish(_ key: String, _ fields: [String: String]) async throws -> String {
                var fields = fields.merging(["type": "STRING", "description": ""]) { $1 }
                fields["etag"] = try await etag(browser)
                let isNew = fields["key"] == nil
                if isNew { fields["key"] = key }
                let path = "/console/config/parameters/\(isNew ? "%2B" : key)"
                let reply = try await browser.post(path, fields)
                #expect(reply.status == 303, "\(reply.text)")
                return try await browser.get("/console/config").text
            }
            let new = try await browser.get("/console/config/parameters/%2B").text
            #expect(new.contains("<option value=\"draft\"></option><option value=\"plants\"></option>"))
            let right = try await publish("plant_model", ["kind": "model", "model": "plants"])
            #expect(!right.contains("Warning") && !right.contains("badge-warning"))
            let page = try await browser.get("/console/config/parameters/plant_model").text
            #expect(
                page.contains("<option value=\"model\" selected>")
                    && page.contains("name=\"model\" type=\"text\" value=\"plants\"")
            )

            let wrong = try await publish(
                "plant_model",
                ["key": "plant_model", "kind": "model", "model": "nosuchmodel"]
            )
            let sentence = "The project has no model nosuchmodel; upload it, or correct the name."
            #expect(wrong.contains("Warning: plant_model: \(sentence)"))
            #expect(wrong.contains("<span class=\"badge badge-warning\">\(sentence)</span>"))
            #expect(try await browser.get("/console/config/parameters/plant_model").text.contains(sentence))
            // The warning belongs to the change that caused it.
            let other = try await publish("greeting", ["kind": "text", "value": "hello"])
            #expect(!other.contains("Warning:") && other.contains("badge-warning"))
            let draft = try await publish("plant_model", ["key": "plant_model", "kind": "text", "value": "draft"])
            #expect(draft.contains("The model draft is not published; publish it, so that apps can download it."))
            // A template from a file shows the same.
            let json =
                #"{"parameters":{"modelName":{"defaultValue":{"value":"nosuchmodel"}},"model_threshold":{"defaultValue":{"value":"0.5"}}}}"#
            try await client.putConfig(json)
            let shown = try await browser.get("/console/config").text
            #expect(shown.ranges(of: "badge-warning").count == 1 && shown.contains(sentence))
        }
    }

    @Test(arguments: [
        ("model", true), ("plant_model", true), ("plantModel", true), ("modelName", true), ("MODEL", true),
        ("model_name", true), ("model2", true), ("model_threshold", false), ("remodel", false), ("models_url", false),
        ("name", false), ("", false),
    ])
    func aKeyTellsWhetherValuesNameModels(_ key: String, _ isModel: Bool) {
        #expect(ModelParameters.endsWithModel(key) == isModel)
    }
}
