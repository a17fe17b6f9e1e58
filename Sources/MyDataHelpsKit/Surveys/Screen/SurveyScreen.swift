#if canImport(UIKit) && canImport(WebKit)
    import UIKit

    /// Connects a web view to a run, for both survey screens: performs its steps, and notifies it of events.
    @MainActor
    final class SurveyScreen<Outcome: Sendable> {
        let content: SurveyWebView
        private var run: SurveyRun<Outcome>?
        private var finish: ((Result<Outcome, MyDataHelpsError>) -> Void)?

        init(userAgent: String) {
            content = SurveyWebView(userAgent: userAgent)
        }

        /// Fills the view and starts loading. Calls `finish` once, on the main queue, unless stopped.
        func start(
            in view: UIView,
            _ makeRun: (_ show: @escaping @Sendable (SurveyRun<Outcome>.Step) -> Void) -> SurveyRun<Outcome>,
            finish: @escaping (Result<Outcome, MyDataHelpsError>) -> Void
        ) {
            content.install(in: view)
            self.finish = finish
            let run = makeRun { [weak self] step in
                DispatchQueue.main.async { self?.perform(step) }
            }
            content.onMessage = { handler, body in run.receive(handler: handler, body: body) }
            content.onFailure = { run.loadFailed($0) }
            self.run = run
            run.start()
        }

        /// Stops the run and the web view without calling `finish`.
        func stop() {
            run?.stop()
            content.stop()
        }

        private func perform(_ step: SurveyRun<Outcome>.Step) {
            switch step {
            case .load(let page): content.load(page)
            case .showContent: content.showContent()
            case .finish(let result):
                content.stop()
                finish?(result)
            }
        }
    }
#endif
