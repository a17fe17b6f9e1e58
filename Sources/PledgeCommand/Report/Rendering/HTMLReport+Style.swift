extension HTMLReport {
    /// The style sheet of the web page. Its variables define all colors for light mode, dark mode, and print.
    static let style: HTML = """
        :root {
          color-scheme: light dark;
          --page: #f4f5f6; --card: #ffffff; --rule: #e4e7ea; --ink: #1c2227; --soft: #57626c;
          --chip: #eef1f3; --past: #82919d; --now: #14616c; --warn: #b3261e;
        }
        @media screen and (prefers-color-scheme: dark) {
          :root {
            --page: #111417; --card: #1a1e22; --rule: #2a3036; --ink: #e8ebee; --soft: #a3adb6;
            --chip: #272d33; --past: #6d7a86; --now: #67c5cf; --warn: #ff8a80;
          }
        }
        * { box-sizing: border-box; margin: 0; padding: 0; }
        body {
          max-width: 100rem; margin: 0 auto; padding: clamp(1rem, 3vw, 2.5rem) clamp(1rem, 4vw, 2.5rem);
          background: var(--page); color: var(--ink);
          font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
          overflow-wrap: break-word; -webkit-text-size-adjust: 100%; text-size-adjust: 100%;
        }
        ul, ol { list-style: none; }
        h1 { font-size: clamp(1.5rem, 4vw, 2.25rem); font-weight: 600; line-height: 1.2; text-wrap: balance; }
        .demo {
          margin-bottom: 1rem; padding: 0.375rem 0.75rem; border: 1px solid var(--warn); border-radius: 8px;
          font-size: 0.875rem; font-weight: 600;
        }
        .tiles {
          display: grid; grid-template-columns: repeat(auto-fill, minmax(min(11rem, 45%), 1fr)); gap: 0.75rem;
          padding: 0.5rem 0;
        }
        main > .card { margin-top: 1rem; }
        .legend { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin: 1.5rem 0 1rem; }
        .legend li { display: flex; align-items: center; gap: 0.375rem; color: var(--soft); font-size: 0.8125rem; }
        .legend svg { width: 18px; height: 16px; }
        .cards { columns: 20rem; column-gap: 1.25rem; }
        .cards > .card { margin-bottom: 1.25rem; }
        .card {
          break-inside: avoid; padding: 1.25rem 1.25rem 0.5rem;
          background: var(--card); border: 1px solid var(--rule); border-radius: 12px;
        }
        h2 { font-size: 1.0625rem; font-weight: 600; line-height: 1.3; }
        .attribute {
          display: grid; grid-template-columns: fit-content(60%) minmax(0, 1fr); gap: 0 0.5rem; align-items: start;
          padding: 0.875rem 0; border-top: 1px solid var(--rule); break-inside: avoid;
        }
        .attribute > * { min-width: 0; }
        .attribute.long, .notes { display: block; }
        .attribute > h3, .attribute > .today { grid-column: 1 / -1; }
        .attribute > .today { margin-bottom: 0.25rem; }
        .attribute > .week { grid-column: 2; justify-self: end; }
        .long > .reference { display: flex; flex-wrap: wrap; gap: 0 1rem; }
        h2 + .attribute { border-top: 0; padding-top: 0.75rem; }
        h3 { font-size: 0.875rem; font-weight: 500; line-height: 1.35; color: var(--soft); }
        .today {
          display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 0.5rem;
          font-variant-numeric: tabular-nums;
        }
        .value { font-size: 1.5rem; line-height: 1.35; font-weight: 500; }
        .value.earlier { color: var(--soft); }
        .unit { font-size: 0.875rem; font-weight: 400; color: var(--soft); }
        .chip {
          padding: 0.0625rem 0.5em; border-radius: 1em; background: var(--chip);
          font-size: 0.8125rem; min-width: 0; overflow-wrap: anywhere;
        }
        .reference { font-size: 0.8125rem; color: var(--soft); font-variant-numeric: tabular-nums; }
        .week { display: block; max-width: 100%; height: auto; }
        .long > .week { width: 100%; margin-top: 0.5rem; }
        .week text { font-size: 11px; text-anchor: middle; fill: var(--soft); }
        .week text.now { fill: var(--ink); font-weight: 700; }
        .past { color: var(--past); }
        .now { color: var(--now); }
        .bar, .dot, .tag { fill: currentColor; stroke-width: 1.5; }
        .bar.open, .dot.open { fill: var(--card); stroke: currentColor; stroke-dasharray: 2 1.5; }
        .tag { stroke: currentColor; }
        .tag.off { fill: none; }
        .line { stroke: var(--past); stroke-width: 1.5; stroke-linecap: round; }
        .week text.scale { font-size: 10px; text-anchor: end; }
        .rule { stroke: var(--rule); stroke-width: 1; }
        .usual { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 3 2; }
        .missing { fill: none; stroke: var(--past); stroke-width: 1.25; stroke-linecap: round; }
        .hover { fill: transparent; }
        figure { margin-top: 0.75rem; }
        blockquote { padding-left: 0.75rem; border-left: 2px solid var(--rule); line-height: 1.5; }
        figcaption { padding-left: 0.875rem; color: var(--soft); font-size: 0.8125rem; }
        .timeline { margin: 0.75rem 0 0.75rem 0.3125rem; border-left: 1px solid var(--rule); }
        .timeline li { position: relative; padding: 0 0 1.25rem 1.125rem; break-inside: avoid; }
        .timeline li:last-child { padding-bottom: 0; }
        .timeline li::before {
          content: ""; position: absolute; left: -5px; top: 0.45em; width: 9px; height: 9px;
          border-radius: 50%; background: var(--past); border: 2px solid var(--card);
        }
        summary { margin: 0.25rem 0 0.75rem; color: var(--soft); font-size: 0.8125rem; cursor: pointer; }
        footer { margin-top: 2rem; padding-top: 1rem; border-top: 1px solid var(--rule); }
        footer p { max-width: 80ch; color: var(--soft); font-size: 0.8125rem; }
        footer p + p { margin-top: 0.25rem; }
        @page { margin: 12mm; }
        @media print {
          :root { --page: #ffffff; --rule: #c9ced3; font-size: 75%; }
          body { max-width: none; padding: 0; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
        }
        """
}
