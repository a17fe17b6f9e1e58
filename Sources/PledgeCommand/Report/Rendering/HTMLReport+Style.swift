extension HTMLReport {
    /// The style sheet, which defines colors once for light mode, dark mode, and print.
    static let style: HTML = """
        :root {
          color-scheme: light dark;
          --page: #f4f5f6; --card: #ffffff; --rule: #e4e7ea; --ink: #1c2227; --soft: #57626c;
          --chip: #eef1f3; --past: #82919d; --now: #14616c; --track: #e4e8eb;
          --warn: #b3261e;
        }
        @media screen and (prefers-color-scheme: dark) {
          :root {
            --page: #111417; --card: #1a1e22; --rule: #2a3036; --ink: #e8ebee; --soft: #a3adb6;
            --chip: #272d33; --past: #6d7a86; --now: #67c5cf; --track: #2d343a;
            --warn: #ff8a80;
          }
        }
        * { box-sizing: border-box; margin: 0; padding: 0; }
        body {
          max-width: 78rem; margin: 0 auto; padding: clamp(1.5rem, 5vw, 4rem) clamp(1rem, 4vw, 2.5rem);
          background: var(--page); color: var(--ink);
          font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
          overflow-wrap: break-word; -webkit-text-size-adjust: 100%; text-size-adjust: 100%;
        }
        ul, ol { list-style: none; }
        .eyebrow { color: var(--soft); }
        h1 {
          font: 500 clamp(1.75rem, 5vw, 2.75rem)/1.15 ui-serif, Georgia, "Noto Serif", serif;
          letter-spacing: -0.015em; text-wrap: balance; margin-top: 0.25rem;
        }
        .demo {
          margin: 0 0 1.25rem; padding: 0.75rem 1rem; border: 2px solid var(--warn); border-radius: 8px; color: var(--ink);
          font-weight: 600;
        }
        .legend { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin: 2rem 0 1rem; }
        .legend li { display: flex; align-items: center; gap: 0.375rem; color: var(--soft); font-size: 0.8125rem; }
        .legend svg { width: 18px; height: 16px; }
        .cards { columns: 3 20rem; column-gap: 1.25rem; }
        .empty { margin: 2rem 0; }
        .card {
          break-inside: avoid; margin-bottom: 1.25rem; padding: 1.25rem 1.25rem 0.5rem;
          background: var(--card); border: 1px solid var(--rule); border-radius: 12px;
        }
        h2 { font-size: 1.0625rem; font-weight: 650; line-height: 1.3; }
        .attribute.long { display: block; }
        .attribute.long .week { margin-top: 0.5rem; }
        .attribute {
          display: grid; grid-template-columns: minmax(0, 1fr) clamp(8.5rem, 44%, 9.625rem); gap: 0.75rem; align-items: end;
          padding: 1rem 0; border-top: 1px solid var(--rule); break-inside: avoid;
        }
        h2 + .attribute { border-top: 0; padding-top: 0.75rem; }
        h3 { font-size: 0.875rem; font-weight: 500; line-height: 1.35; color: var(--soft); }
        .today {
          display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 0.5rem;
          font-variant-numeric: tabular-nums;
        }
        .value { font-size: 1.5rem; line-height: 1.35; font-weight: 500; }
        .value.earlier { color: var(--soft); }
        .value.none { color: var(--soft); font-weight: 400; }
        .unit { font-size: 0.875rem; font-weight: 400; color: var(--soft); }
        .chip {
          padding: 0.0625rem 0.5em; border-radius: 1em; background: var(--chip);
          font-size: 0.8125rem; white-space: nowrap;
        }
        .reference { font-size: 0.8125rem; color: var(--soft); font-variant-numeric: tabular-nums; }
            .week { display: block; width: 100%; height: auto; }
        .week text { font-size: 11px; text-anchor: middle; fill: var(--soft); }
        .week text.now { fill: var(--ink); font-weight: 700; }
        .bar.past, .dot.past, .tag.past { fill: var(--past); }
        .bar.now, .dot.now, .tag.now { fill: var(--now); }
        .bar.now.open, .dot.now.open { fill: var(--card); stroke: var(--now); stroke-width: 1.5; stroke-dasharray: 2 1.5; }
        .tag { stroke-width: 1.5; }
        .tag.past { stroke: var(--past); }
        .tag.now { stroke: var(--now); }
        .tag.off { fill: none; }
        .line { stroke: var(--past); stroke-width: 1.5; stroke-linecap: round; }
        .line.gap { stroke-width: 1; opacity: 0.6; }
        .usual { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 3 2; }
        .missing { fill: none; stroke: var(--past); stroke-width: 1.25; stroke-linecap: round; }
        .hover { fill: transparent; }
        .notes { display: block; }
        figure { margin-top: 0.75rem; }
        blockquote { padding-left: 0.75rem; border-left: 2px solid var(--rule); line-height: 1.5; }
        figcaption { padding-left: 0.875rem; color: var(--soft); font-size: 0.8125rem; }
        .relations li { padding: 1rem 0; border-top: 1px solid var(--rule); break-inside: avoid; }
        .relations li:first-child { border-top: 0; padding-top: 0.75rem; }
        .bar-of-strength { display: block; width: 100%; height: 8px; margin: 0.5rem 0 0.375rem; }
        .track { fill: var(--track); }
        .middle { fill: var(--soft); }
        .strength { color: var(--soft); font-size: 0.8125rem; }
        .timeline { margin: 0.75rem 0 0.75rem 0.3125rem; border-left: 1px solid var(--rule); }
        .timeline li { position: relative; padding: 0 0 1.25rem 1.125rem; break-inside: avoid; }
        .timeline li:last-child { padding-bottom: 0; }
        .timeline li::before {
          content: ""; position: absolute; left: -5px; top: 0.45em; width: 9px; height: 9px;
          border-radius: 50%; background: var(--past); border: 2px solid var(--card);
        }
        .when { color: var(--soft); font-size: 0.8125rem; }
        .warnings { margin-top: 1.5rem; font-size: 0.875rem; }
        .warnings h2 { font-size: 0.875rem; }
        .warnings li { margin-top: 0.375rem; color: var(--soft); }
        footer { margin-top: 2rem; padding-top: 1rem; border-top: 1px solid var(--rule); }
        footer p { max-width: 80ch; color: var(--soft); font-size: 0.8125rem; }
        footer p + p { margin-top: 0.25rem; }
        @media (max-width: 26rem) {
          .value { font-size: 1.375rem; }
        }
        @media print {
          :root { --page: #ffffff; --rule: #c9ced3; font-size: 75%; }
          body { max-width: none; padding: 0; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
          .cards { columns: 2; }
          .card { break-inside: auto; box-decoration-break: clone; -webkit-box-decoration-break: clone; }
          h2, h3 { break-after: avoid; }
        }
        """
}
