import Foundation
import MyDataHelpsKit

let session = ParticipantSession(
    client: MyDataHelpsClient(), accessToken: ParticipantAccessToken(token: "a token"))
let point = DeviceDataPointPersistModel(identifier: "a", type: "A", value: "1", observationDate: Date())
try await session.persistDeviceData([point])
try await session.refreshExternalAccount(ExternalAccount.ID(1))
try await session.deleteExternalAccount(ExternalAccount.ID(1))
try await session.deleteSurveyResult(SurveyResult.ID("a"))
let accounts: [ExternalAccount] = try await session.listExternalAccounts()
