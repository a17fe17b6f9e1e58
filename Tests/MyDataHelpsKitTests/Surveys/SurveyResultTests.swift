import Foundation
import MyDataHelpsKit
import PledgeTestSupport
import Testing

@Suite("Deleting survey results", .serialized)
struct SurveyResultTests {
    private let mdh: MyDataHelpsCase
    init() throws { mdh = try MyDataHelpsCase() }

    @Test("A result can be deleted once, and is not found the second time")
    func deleting() async throws {
        let session = mdh.session
        let answers = try await session.querySurveyAnswers(SurveyAnswersQuery(surveyNames: ["DailyMood"]))
        let result = try #require(answers.first).surveyResultID
        try await session.deleteSurveyResult(result)
        let left = try await session.querySurveyAnswers(SurveyAnswersQuery(surveyResultID: result))
        #expect(left.isEmpty)
        let error = await thrown(MyDataHelpsError.self) { try await session.deleteSurveyResult(result) }

        #expect(error?.name == "serverError")
        #expect(error?.response?.statusCode == 404)
        #expect(error?.response?.message?.hasPrefix("There is no such survey result") == true)
        #expect(mdh.targets.last == "DELETE /api/v1/delegated/surveyresults/\(result.value.uppercased())")
    }

    @Test("An invalid result ID is an encoding error, and nothing is sent")
    func notAResult() async throws {
        let error = await thrown(MyDataHelpsError.self) {
            try await mdh.session.deleteSurveyResult(SurveyResult.ID("../participant"))
        }

        #expect(error?.name == "encodingError")
        #expect(error?.description.contains("use SurveyAnswer.surveyResultID") == true)
        #expect(mdh.targets.isEmpty)
    }
}
