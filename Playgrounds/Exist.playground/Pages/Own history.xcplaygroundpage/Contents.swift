//: # Own history
//: A sync stores everything that Exist knows in your own SQLite file. The second sync requests only what may have
//: changed.
import ExistKit
import Foundation
import PledgeHistory
import PledgeSandbox

let sandbox = try ExistSandbox.start()
let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tracking-\(UUID())")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
let history = try History(folder.appendingPathComponent("tracking.db").path)

let existAPI = ExistAPI(token: sandbox.token, baseURL: sandbox.baseURL)

history.sync(existAPI).then { first -> Promise<SyncSummary> in
    print("first:", first)
    return history.sync(existAPI)
}.done { second in
    print("second:", second)
}.waitOrExit()

//: You can open the same file with `sqlite3`, Datasette, and pandas.
let weeks = try history.query(
    "SELECT week, total, round(average) FROM weekly WHERE attribute = 'steps' ORDER BY monday DESC LIMIT 4")
for week in weeks.rows { print(week.map(\.description).joined(separator: "  ")) }

history.close()
try FileManager.default.removeItem(at: folder)
sandbox.stop()
