// swift-format-ignore-file
import ExistKit
import PledgeHistory

// As in ArticleSnippets.swift: compiled, compared word for word, and never called.

private func ownHistory(_ existAPI: ExistAPI) throws {
let history = try History("tracking.db")
history.sync(existAPI).done { summary in
    print(summary)
}.catch { error in
    print(error)
}
}
