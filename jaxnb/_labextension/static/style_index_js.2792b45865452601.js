"use strict";(self.rspackChunkjaxnb=self.rspackChunkjaxnb||[]).push([["style_index_js"],{"./node_modules/css-loader/dist/cjs.js!./style/index.css"(e,o,r){var t=r("./node_modules/css-loader/dist/runtime/noSourceMaps.js"),a=r.n(t),n=r("./node_modules/css-loader/dist/runtime/api.js"),i=r.n(n),x=r("./node_modules/css-loader/dist/cjs.js!./style/jaxnb.css"),l=r("./node_modules/css-loader/dist/cjs.js!./style/lab.css"),d=i()(a());d.i(x.A),d.i(l.A),d.push([e.id,`
`,""]),r.d(o,{},{A:d})},"./node_modules/css-loader/dist/cjs.js!./style/jaxnb.css"(e,o,r){var t=r("./node_modules/css-loader/dist/runtime/noSourceMaps.js"),a=r.n(t),n=r("./node_modules/css-loader/dist/runtime/api.js"),i=(r.n(n))()(a());i.push([e.id,`/* Everything is under .jaxnb; nothing outside it is touched. Colours come from the host (JupyterLab, VS Code, Colab),
   else from the system, and light-dark() follows the colour scheme that the first block settles.
   The doubled class keeps a host's own rules for headings, lists and buttons out. */
.jaxnb { color-scheme: light dark; }
[data-jp-theme-light="true"] .jaxnb, body.vscode-light .jaxnb, html[theme="light"] .jaxnb { color-scheme: light; }
[data-jp-theme-light="false"] .jaxnb, body.vscode-dark .jaxnb, body.vscode-high-contrast .jaxnb, html[theme="dark"] .jaxnb { color-scheme: dark; }

@keyframes jaxnb-turn { to { transform: rotate(1turn); } }

.jaxnb {
  --jx-fg: var(--jp-content-font-color1, var(--vscode-editor-foreground, var(--colab-primary-text-color, light-dark(#1f2328, #dfe3e8))));
  --jx-bg: var(--jp-layout-color0, var(--vscode-editor-background, var(--colab-primary-surface-color, light-dark(#ffffff, #16191d))));
  --jx-ui: var(--jp-ui-font-family, var(--vscode-font-family, system-ui, -apple-system, "Segoe UI", sans-serif));
  --jx-mono: var(--jp-code-font-family, var(--vscode-editor-font-family, ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace));
  --jx-line: color-mix(in srgb, var(--jx-fg) 15%, var(--jx-bg));
  --jx-raised: color-mix(in srgb, var(--jx-fg) 4%, var(--jx-bg));
  --jx-muted: color-mix(in srgb, var(--jx-fg) 68%, var(--jx-bg));
  --jx-accent: light-dark(#0a5bd3, #74b4ff);
  --jx-hot: light-dark(#e4effd, #14304f);
  --jx-lit: light-dark(#fff0b3, #4d4011);
  --jx-lit-line: light-dark(#c28500, #e3b341);
  --jx-found: light-dark(#e3d6ff, #453463);
  --jx-found-line: light-dark(#7a3fd1, #c59bff);
  --jx-good: light-dark(#1a7f37, #4cc26a);
  --jx-bad: light-dark(#c3261f, #ff7b72);
  box-sizing: border-box; display: flex; flex-direction: column; min-width: 0;
  border: 1px solid var(--jx-line); border-radius: 6px; overflow: hidden;
  background: var(--jx-bg); color: var(--jx-fg); font: 12px/18px var(--jx-ui); text-align: left;
  font-variant-numeric: tabular-nums; -webkit-font-smoothing: antialiased;
}

.jaxnb.jaxnb {
  *, *::before { box-sizing: border-box; }
  [hidden] { display: none !important; }
  :is(h2, h3, p, dl, dd, dt, ol, li, pre, kbd, output, button, input, small) {
    margin: 0; padding: 0; border: 0; font: inherit; color: inherit; background: none; list-style: none; box-shadow: none; letter-spacing: inherit;
  }
  :is(dl, dt, dd) { all: unset; }
  .jx-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
  :focus-visible { outline: 2px solid var(--jx-accent); outline-offset: -2px; }

  /* ---- head */
  .jx-top { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 10px; padding: 9px 12px 3px; }
  .jx-top h2 { font: 600 14px/20px var(--jx-mono); overflow-wrap: anywhere; }
  .jx-cell { font: 12px/20px var(--jx-mono); color: var(--jx-muted); }
  .jx-chips { display: flex; flex-wrap: wrap; gap: 2px 0; margin-left: auto; }
  .jx-chip { display: flex; align-items: center; gap: 5px; white-space: nowrap; }
  .jx-chip + .jx-chip::before { content: ""; width: 14px; height: 1px; margin: 0 5px 0 7px; background: var(--jx-line); }
  .jx-glyph { width: 12px; text-align: center; font-weight: 600; }
  .jx-done .jx-glyph { color: var(--jx-good); }
  :is(.jx-failed, .jx-cancelled) { color: var(--jx-bad); }
  .jx-failed { font-weight: 600; }
  .jx-pending { color: var(--jx-muted); }
  .jx-time { color: var(--jx-muted); }
  .jx-running .jx-time { color: inherit; font-weight: 600; }
  .jx-spinner { width: 11px; height: 11px; border: 2px solid var(--jx-line); border-top-color: var(--jx-accent); border-radius: 50%; animation: jaxnb-turn 0.9s linear infinite; }
  @media (prefers-reduced-motion: reduce) { .jx-spinner { animation-duration: 4s; } }
  .jx-actions { display: flex; gap: 6px; }
  .jx-actions:empty { display: none; }
  .jx-button { padding: 1px 10px; border: 1px solid var(--jx-line); border-radius: 4px; background: var(--jx-raised); font-weight: 600; cursor: pointer; }
  .jx-message { margin: 4px 12px 2px; padding: 5px 10px; border-left: 3px solid var(--jx-bad); background: color-mix(in srgb, var(--jx-bad) 8%, var(--jx-bg)); white-space: pre-wrap; overflow-wrap: anywhere; max-height: 10em; overflow: auto; }
  .jx-bar { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 16px; padding: 3px 12px 8px; }
  .jx-figures { display: flex; flex-wrap: wrap; gap: 0 14px; min-width: 0; flex: 1 1 560px; }
  .jx-figures > div { display: flex; gap: 5px; min-width: 0; max-width: 100%; }
  .jx-figures > div > * { display: block; }
  .jx-figures dt { color: var(--jx-muted); }
  .jx-figures dd { max-width: 44ch; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .jx-right { display: flex; align-items: center; gap: 6px; margin-left: auto; min-width: 0; }
  .jx-toggles { display: flex; flex-wrap: wrap; border: 1px solid var(--jx-line); border-radius: 5px; overflow: hidden; }
  .jx-toggle { padding: 2px 9px; border-radius: 0; color: var(--jx-muted); cursor: pointer; white-space: nowrap; }
  .jx-toggle + .jx-toggle { border-left: 1px solid var(--jx-line); }
  .jx-toggle[aria-pressed="true"] { color: var(--jx-fg); background: color-mix(in srgb, var(--jx-accent) 11%, var(--jx-bg)); box-shadow: inset 0 -2px var(--jx-accent); }
  .jx-toggle:hover, .jx-button:hover { color: var(--jx-fg); background-color: color-mix(in srgb, var(--jx-fg) 8%, var(--jx-bg)); }
  .jx-icon { display: block; width: 16px; height: 16px; fill: none; stroke: currentColor; stroke-width: 1.35; stroke-linecap: round; stroke-linejoin: round; }
  .jx-tool { display: flex; padding: 3px; border-radius: 4px; color: var(--jx-muted); cursor: pointer; }
  .jx-tool:hover, .jx-tool[aria-pressed="true"] { color: var(--jx-fg); background: color-mix(in srgb, var(--jx-fg) 10%, transparent); }
  .jx-tool.jx-ok { color: var(--jx-good); }

  /* ---- panes */
  .jx-panes { --jx-columns: 1; --jx-height: 340px; display: flex; flex-wrap: wrap; gap: 1px; border-top: 1px solid var(--jx-line); background: var(--jx-line); min-height: 0; }
  .jx-panes[data-rows="1"] { --jx-height: 420px; }
  .jx-panes[data-rows="3"] { --jx-height: 264px; }
  .jx-panes[data-rows="4"] { --jx-height: 240px; }
  .jx-panes.jx-alone { --jx-height: max(420px, 70vh); }
  .jx-alone .jx-pane { height: var(--jx-height); }
  .jx-pane { display: flex; flex-direction: column; flex: 1 1 calc((100% - (var(--jx-columns) - 1) * 1px) / var(--jx-columns) - 0.5px); min-width: 0; min-height: 118px; max-height: var(--jx-height); background: var(--jx-bg); }
  .jx-sized .jx-pane, .jx-pane:has(.jx-graph) { height: var(--jx-height); }
  .jx-pane > * { min-width: 0; }
  &.jx-fill { height: 100%; border: 0; border-radius: 0; }
  &.jx-fill .jx-panes { flex: 1; overflow: auto; align-content: flex-start; }
  &.jx-fill .jx-pane { height: max(190px, (100% - (var(--jx-rows) - 1) * 1px) / var(--jx-rows)); max-height: none; }
  &.jx-fill .jx-grip { display: none; }
  .jx-pane-head { display: flex; align-items: center; gap: 8px; flex: none; height: 28px; padding: 0 5px 0 12px; background: var(--jx-raised); border-bottom: 1px solid var(--jx-line); white-space: nowrap; }
  .jx-pane-head h3 { font: 600 12px/18px var(--jx-ui); }
  .jx-size { color: var(--jx-muted); overflow: hidden; text-overflow: ellipsis; }
  .jx-hits { display: flex; align-items: center; min-width: 0; padding-left: 8px; border-radius: 4px; background: var(--jx-lit); }
  .jx-hits > span { overflow: hidden; text-overflow: ellipsis; margin-right: 3px; }
  .jx-hits .jx-tool { padding: 2px; color: inherit; }
  .jx-hits .jx-icon { width: 13px; height: 13px; }
  .jx-tools { display: flex; margin-left: auto; }
  .jx-find { display: flex; align-items: center; gap: 4px; flex: none; padding: 2px 5px 2px 10px; border-bottom: 1px solid var(--jx-line); color: var(--jx-muted); }
  .jx-input { flex: 1; min-width: 0; padding: 2px 4px; color: var(--jx-fg); font: 12px/18px var(--jx-mono); appearance: none; outline-width: 1px; }
  .jx-input::-webkit-search-cancel-button { display: none; }
  .jx-input::placeholder { color: var(--jx-muted); opacity: 1; }
  .jx-none .jx-find-count { color: var(--jx-bad); }
  .jx-slot { display: flex; flex-direction: column; flex: 1 1 auto; min-height: 0; }
  .jx-body { position: relative; display: flex; flex: 1 1 auto; min-height: 0; }
  .jx-empty { display: flex; align-items: center; justify-content: center; gap: 9px; flex: 1; padding: 16px; color: var(--jx-muted); text-align: center; }
  .jx-error { flex: 0 1 auto; overflow: auto; margin: 10px 12px; padding: 8px 12px; border-left: 3px solid var(--jx-bad); background: color-mix(in srgb, var(--jx-bad) 7%, var(--jx-bg)); }
  .jx-error strong { color: var(--jx-bad); font-weight: 600; }
  .jx-error pre { margin-top: 4px; font: 12px/18px var(--jx-mono); white-space: pre-wrap; overflow-wrap: anywhere; overflow: visible; }
  .jx-grip { flex: none; height: 7px; border-top: 1px solid var(--jx-line); cursor: ns-resize; touch-action: none; background: linear-gradient(var(--jx-muted), var(--jx-muted)) center/24px 1px no-repeat var(--jx-raised); }

  /* ---- text */
  .jx-scroll { position: relative; flex: 1; min-width: 0; overflow: auto; overscroll-behavior-x: contain; font: 12px/18px var(--jx-mono); font-variant-ligatures: none; tab-size: 4; scrollbar-width: thin; }
  .jx-sheet { position: relative; contain: layout style; margin-bottom: 4px; }
  .jx-row { position: absolute; left: 0; right: 0; height: 18px; white-space: pre; contain: layout style; cursor: default; }
  .jx-ln { position: sticky; left: 0; z-index: 1; display: inline-block; width: var(--jx-gutter); padding-right: 1.25ch; border-left: 3px solid transparent; text-align: right; color: color-mix(in srgb, var(--jx-fg) 58%, var(--jx-bg)); background: var(--jx-bg); user-select: none; -webkit-user-select: none; }
  .jx-code { cursor: text; padding-right: 2ch; }
  .jx-i { border-radius: 2px; }
  .jx-cut { color: var(--jx-muted); font-style: italic; }
  .jx-probe { position: absolute; visibility: hidden; white-space: pre; }
  .jx-scroll:focus .jx-cursor { background: var(--jx-raised); }
  .jx-row.jx-lit .jx-ln { border-left-color: var(--jx-lit-line); color: var(--jx-fg); font-weight: 600; }
  .jx-i.jx-lit { background: var(--jx-lit); }
  .jx-i.jx-echo { text-decoration: underline dotted 2px var(--jx-accent); text-underline-offset: 3px; text-decoration-skip-ink: none; }
  .jx-i.jx-hot, .jx-row.jx-hot:not(:has(.jx-i.jx-hot)):not(.jx-pin) .jx-code { background: var(--jx-hot); outline: 1.5px solid var(--jx-accent); outline-offset: 0; border-radius: 2px; }
  .jx-row.jx-hot .jx-ln { color: var(--jx-accent); font-weight: 600; }
  .jx-i.jx-pin, .jx-row.jx-pin:not(:has(.jx-i.jx-pin)) .jx-code { background: var(--jx-hot); outline: 2px solid var(--jx-fg); outline-offset: 0; border-radius: 2px; }
  .jx-row.jx-pin .jx-ln { border-left-color: var(--jx-accent); background: var(--jx-accent); color: var(--jx-bg); font-weight: 600; }
  .jx-f1 { background: var(--jx-found); border-radius: 2px; }
  .jx-f2 { background: var(--jx-found); outline: 1.5px solid var(--jx-found-line); border-radius: 2px; }
  .jx-kk { color: light-dark(#7a3fd1, #cba6f7); }
  .jx-ko { color: light-dark(#0550ae, #82bdff); }
  .jx-kt { color: light-dark(#116a57, #74cfb5); }
  .jx-kn { color: light-dark(#9a4a00, #f0a868); }
  .jx-ks { color: light-dark(#0a5a2f, #a3d79b); }
  .jx-kc { color: var(--jx-muted); font-style: italic; }
  .jx-ka { color: var(--jx-muted); }
  .jx-kd { font-weight: 600; }
  .jx-ruler { position: relative; flex: none; width: 11px; border-left: 1px solid var(--jx-line); overflow: hidden; }
  .jx-ruler.jx-some { cursor: pointer; }
  .jx-ruler i { position: absolute; left: 2px; right: 2px; border-radius: 1px; }
  .jx-m-lit { background: var(--jx-lit-line); }
  .jx-ruler .jx-m-find { left: 6px; right: 0; background: var(--jx-found-line); }
  .jx-ruler .jx-m-hot { left: 0; right: 0; border: 1.5px solid var(--jx-accent); background: var(--jx-bg); }

  /* ---- graph */
  .jx-graph { flex-direction: column; }
  .jx-crumbs { display: flex; flex: none; align-items: center; gap: 5px; padding: 3px 12px 0; font: 12px/18px var(--jx-mono); overflow: auto; white-space: nowrap; scrollbar-width: none; }
  button.jx-crumb { color: var(--jx-accent); cursor: pointer; }
  button.jx-crumb:hover { text-decoration: underline; }
  .jx-crumb small, .jx-sep { color: var(--jx-muted); }
  .jx-stage { position: relative; flex: 1; min-height: 60px; min-width: 0; }
  .jx-svg { position: absolute; inset: 0; width: 100%; height: 100%; max-width: none; cursor: grab; }
  .jx-svg:active { cursor: grabbing; }
  .jx-svg:focus:not(:focus-visible) { outline: none; }
  .jx-graph-tools { position: absolute; right: 6px; bottom: 6px; display: flex; padding: 1px; border: 1px solid var(--jx-line); border-radius: 5px; background: var(--jx-bg); }
  .jx-hint { position: absolute; left: 0; right: 0; top: 6px; margin: auto; width: fit-content; padding: 2px 10px; border-radius: 4px; background: var(--jx-fg); color: var(--jx-bg); opacity: 0; transition: opacity 0.2s; pointer-events: none; }
  .jx-hint.jx-shown { opacity: 0.9; }
  .jx-svg text { fill: var(--jx-fg); font: 12px var(--jx-mono); pointer-events: none; }
  .jx-svg .jx-sub { fill: var(--jx-muted); font-size: 10px; }
  .jx-edge path { fill: none; stroke: color-mix(in srgb, var(--jx-fg) 38%, var(--jx-bg)); stroke-width: 1.1; }
  .jx-edge .jx-head { fill: color-mix(in srgb, var(--jx-fg) 38%, var(--jx-bg)); stroke: none; }
  .jx-edge text { font-size: 10px; fill: var(--jx-muted); paint-order: stroke; stroke: var(--jx-bg); stroke-width: 3px; }
  .jx-far .jx-edge text, .jx-far .jx-sub { display: none; }
  .jx-edge:not(.jx-near) .jx-crowded { display: none; }
  .jx-edge.jx-near path { stroke: var(--jx-accent); stroke-width: 2; }
  .jx-edge.jx-near .jx-head { fill: var(--jx-accent); stroke: var(--jx-accent); }
  .jx-node { cursor: pointer; --jx-kind: color-mix(in srgb, var(--jx-fg) 45%, var(--jx-bg)); }
  .jx-node-fusion { --jx-kind: light-dark(#0a5bd3, #74b4ff); }
  .jx-node-dot { --jx-kind: light-dark(#7a3fd1, #c59bff); }
  .jx-node-reduce { --jx-kind: light-dark(#0f766e, #5fd0bf); }
  .jx-node-parameter { --jx-kind: light-dark(#b26a00, #e3b341); }
  .jx-plate, .jx-under { fill: var(--jx-raised); stroke: var(--jx-line); stroke-width: 1.2; }
  .jx-node-constant .jx-plate, .jx-node-data .jx-plate { stroke-dasharray: 4 3; stroke: color-mix(in srgb, var(--jx-fg) 35%, var(--jx-bg)); }
  .jx-tab { stroke: var(--jx-kind); stroke-width: 3; stroke-linecap: round; }
  .jx-open rect { fill: var(--jx-bg); stroke: var(--jx-line); }
  .jx-open path { stroke: var(--jx-muted); stroke-width: 1.4; }
  .jx-open:hover rect { stroke: var(--jx-accent); }
  .jx-knob { display: none; fill: var(--jx-accent); stroke: var(--jx-bg); stroke-width: 1.5; }
  .jx-node.jx-lit .jx-plate { fill: var(--jx-lit); stroke: var(--jx-lit-line); stroke-width: 2.2; stroke-dasharray: none; }
  .jx-node.jx-echo .jx-plate { stroke: var(--jx-accent); stroke-dasharray: 2 3; stroke-width: 2; }
  .jx-node:is(.jx-f1, .jx-f2) .jx-plate { fill: var(--jx-found); }
  .jx-node.jx-f2 .jx-plate { stroke: var(--jx-found-line); stroke-width: 2.2; }
  .jx-node.jx-hot .jx-plate { fill: var(--jx-hot); stroke: var(--jx-accent); stroke-width: 1.8; stroke-dasharray: none; }
  .jx-node.jx-pin .jx-plate { fill: var(--jx-hot); stroke: var(--jx-fg); stroke-width: 2.4; stroke-dasharray: none; }
  .jx-node.jx-pin .jx-knob { display: block; }
  .jx-list { border-top: 1px solid var(--jx-line); flex: 0 0 45%; }

  /* ---- panels */
  :is(h4, p, table, td, th, section) { margin: 0; padding: 0; border: 0; font: inherit; color: inherit; background: none; text-align: left; }
  .jx-panel { font: 12px/18px var(--jx-ui); }
  .jx-table { width: 100%; border-collapse: collapse; border-spacing: 0; font-size: 12px; line-height: 18px; }
  .jx-table :is(td, th) { padding: 2px 12px; vertical-align: top; border-bottom: 1px solid color-mix(in srgb, var(--jx-fg) 7%, var(--jx-bg)); white-space: pre-wrap; overflow-wrap: break-word; max-width: 70ch; }
  .jx-table thead th { position: sticky; top: 0; z-index: 1; background: var(--jx-bg); color: var(--jx-muted); border-bottom: 1px solid var(--jx-line); white-space: nowrap; }
  .jx-table .jx-num { width: 1%; text-align: right; white-space: nowrap; }
  .jx-table .jx-mono { font-family: var(--jx-mono); }
  .jx-table thead .jx-mono { font-family: inherit; }
  .jx-panel code { padding: 0 3px; border-radius: 3px; background: color-mix(in srgb, var(--jx-fg) 8%, transparent); font: 12px/16px var(--jx-mono); }
  .jx-is-head th { padding-top: 8px; font-weight: 600; }
  .jx-tr:has(+ .jx-detail) td { border-bottom: 0; }
  .jx-detail td { padding: 0 12px 4px 28px; color: var(--jx-muted); }
  .jx-is-bad td:first-child { box-shadow: inset 3px 0 var(--jx-bad); }
  .jx-is-warn td:first-child { box-shadow: inset 3px 0 var(--jx-lit-line); }
  .jx-is-good td:first-child { box-shadow: inset 3px 0 var(--jx-good); }
  .jx-linked { cursor: default; }
  .jx-tr.jx-lit td { background: var(--jx-lit); }
  .jx-tr.jx-echo td { text-decoration: underline dotted 2px var(--jx-accent); text-underline-offset: 3px; }
  .jx-tr.jx-hot td { background: var(--jx-hot); }
  .jx-tr.jx-pin { outline: 2px solid var(--jx-fg); outline-offset: -2px; }
  .jx-tr:is(.jx-f1, .jx-f2) td { background: var(--jx-found); }
  .jx-tr.jx-f2 { outline: 1.5px solid var(--jx-found-line); outline-offset: -1.5px; }
  .jx-foot { padding: 6px 12px; color: var(--jx-muted); max-width: 100ch; font-family: var(--jx-ui); }
  .jx-cards { display: flex; flex-direction: column; gap: 8px; padding: 10px 12px; }
  .jx-card { padding: 7px 11px; border: 1px solid var(--jx-line); border-left-width: 3px; border-radius: 5px; max-width: 110ch; }
  .jx-card h4 { font-weight: 600; overflow-wrap: anywhere; }
  .jx-card p { margin-top: 3px; white-space: pre-wrap; overflow-wrap: anywhere; }
  .jx-card .jx-figures { margin-top: 3px; flex: none; }
  .jx-card.jx-is-bad { border-left-color: var(--jx-bad); }
  .jx-card.jx-is-warn { border-left-color: var(--jx-lit-line); }
  .jx-card.jx-is-good { border-left-color: var(--jx-good); }
  .jx-card.jx-lit { background: var(--jx-lit); }
  .jx-card.jx-hot { background: var(--jx-hot); }
  .jx-card.jx-pin { outline: 2px solid var(--jx-fg); }
  .jx-card:is(.jx-f1, .jx-f2) { background: var(--jx-found); }
  .jx-chain { counter-reset: jx-step; gap: 18px; }
  .jx-chain .jx-card { position: relative; counter-increment: jx-step; }
  .jx-chain h4::before { content: counter(jx-step) " "; color: var(--jx-muted); }
  .jx-chain .jx-card + .jx-card::before { content: ""; position: absolute; left: 16px; top: -18px; width: 2px; height: 17px; background: var(--jx-line); }
  .jx-snippet { display: flex; align-items: flex-start; margin-top: 5px; padding: 4px 4px 4px 10px; border-radius: 4px; background: var(--jx-raised); }
  .jx-snippet pre { flex: 1; min-width: 0; overflow: auto; font: 12px/18px var(--jx-mono); white-space: pre; }
  .jx-diff { font-family: var(--jx-mono); }
  .jx-dhead { position: sticky; top: 0; z-index: 2; display: flex; height: 20px; background: var(--jx-bg); border-bottom: 1px solid var(--jx-line); color: var(--jx-muted); font-family: var(--jx-ui); }
  .jx-dhead > span:not(.jx-sign) { flex: 1 1 0; padding: 0 8px; }
  .jx-drow { position: absolute; left: 0; right: 0; display: flex; height: 18px; width: 100%; contain: layout style; white-space: pre; cursor: default; }
  .jx-sign { flex: none; width: 3ch; text-align: center; color: var(--jx-muted); user-select: none; -webkit-user-select: none; }
  .jx-half { flex: 1 1 0; min-width: 0; overflow: hidden; text-overflow: ellipsis; padding: 0 8px 0 calc(8px + var(--jx-depth, 0) * 2ch); cursor: text; }
  .jx-half + .jx-half { border-left: 1px solid var(--jx-line); }
  .jx-d-kept { color: var(--jx-muted); }
  .jx-d-added { background: color-mix(in srgb, var(--jx-good) 14%, transparent); }
  .jx-d-added .jx-sign { color: var(--jx-good); font-weight: 600; }
  .jx-d-removed { background: color-mix(in srgb, var(--jx-bad) 13%, transparent); }
  .jx-d-removed .jx-sign { color: var(--jx-bad); font-weight: 600; }
  .jx-d-changed { background: color-mix(in srgb, var(--jx-lit-line) 14%, transparent); }
  .jx-d-changed .jx-sign { color: var(--jx-lit-line); font-weight: 600; }
  .jx-drow.jx-lit { background: var(--jx-lit); }
  .jx-drow.jx-hot { outline: 1.5px solid var(--jx-accent); outline-offset: -1.5px; }
  .jx-drow.jx-pin { outline: 2px solid var(--jx-fg); outline-offset: -2px; }
  .jx-drow:is(.jx-f1, .jx-f2) { background: var(--jx-found); }
  .jx-fold { justify-content: flex-start; padding: 0 3ch; color: var(--jx-accent); cursor: pointer; font: 11px/18px var(--jx-ui); }
  .jx-fold:hover { text-decoration: underline; }

  /* ---- status */
  .jx-status { display: flex; flex: none; flex-wrap: nowrap; align-items: center; gap: 0 12px; min-height: 27px; padding: 4px 12px; background: var(--jx-raised); overflow: hidden; white-space: nowrap; border-top: 1px solid var(--jx-line); }
  .jx-grip + .jx-status { border-top: 0; }
  .jx-status > * { overflow: hidden; text-overflow: ellipsis; flex: 0 1 auto; }
  .jx-status strong { font: 600 12px/18px var(--jx-mono); flex-shrink: 0; max-width: 40ch; }
  .jx-status > span { color: var(--jx-muted); }
  .jx-status > .jx-fate { color: var(--jx-fg); border-left: 3px solid var(--jx-lit-line); padding-left: 8px; }
  .jx-status > .jx-tag { flex-shrink: 0; padding: 0 6px; border-radius: 3px; background: var(--jx-accent); color: var(--jx-bg); font-size: 11px; line-height: 16px; }
  .jx-key { margin-left: 10px; white-space: nowrap; }
  kbd { padding: 0 4px; border: 1px solid var(--jx-line); border-radius: 3px; font: 11px/14px var(--jx-mono); color: var(--jx-muted); }
  &.jx-narrow .jx-status { flex-wrap: wrap; white-space: normal; }
  &.jx-narrow .jx-chips, &.jx-narrow .jx-right { margin-left: 0; }
  &.jx-narrow .jx-chips { flex-basis: 100%; }

  /* ---- what stands alone when there is no model to show */
  .jx-note { padding: 10px 12px; white-space: pre-wrap; overflow-wrap: anywhere; }
}
`,""]),r.d(o,{},{A:i})},"./node_modules/css-loader/dist/cjs.js!./style/lab.css"(e,o,r){var t=r("./node_modules/css-loader/dist/runtime/noSourceMaps.js"),a=r.n(t),n=r("./node_modules/css-loader/dist/runtime/api.js"),i=(r.n(n))()(a());i.push([e.id,`/* The side panel; JupyterLab only. */
.jaxnb-panel { display: flex; flex-direction: column; min-width: 220px; overflow: auto; color: var(--jp-ui-font-color1); background: var(--jp-layout-color1); font: var(--jp-ui-font-size1)/1.5 var(--jp-ui-font-family); }
.jaxnb-panel h2 { margin: 0; padding: 10px 12px 6px; font-size: var(--jp-ui-font-size0); font-weight: 600; letter-spacing: 0.06em; text-transform: uppercase; color: var(--jp-ui-font-color2); }
.jaxnb-panel-note { margin: 0; padding: 4px 12px; color: var(--jp-ui-font-color2); }
.jaxnb-panel ol { margin: 0; padding: 0; list-style: none; }
.jaxnb-panel-entry { display: block; width: 100%; padding: 7px 12px 8px; border: 0; border-bottom: 1px solid var(--jp-border-color2); background: none; color: inherit; font: inherit; text-align: left; cursor: pointer; }
.jaxnb-panel-entry:hover { background: var(--jp-layout-color2); }
.jaxnb-panel-entry:focus-visible { outline: 2px solid var(--jp-brand-color1); outline-offset: -2px; }
.jaxnb-panel-name { display: flex; gap: 8px; font-family: var(--jp-code-font-family); font-weight: 600; overflow-wrap: anywhere; }
.jaxnb-panel-cell { margin-left: auto; font-weight: 400; color: var(--jp-ui-font-color2); }
.jaxnb-panel-line { display: block; color: var(--jp-ui-font-color2); font-size: var(--jp-ui-font-size0); font-variant-numeric: tabular-nums; }
.jaxnb-panel-bad { color: var(--jp-error-color1); font-weight: 600; }
`,""]),r.d(o,{},{A:i})},"./node_modules/css-loader/dist/runtime/api.js"(e){e.exports=function(e){var o=[];return o.toString=function(){return this.map(function(o){var r="",t=void 0!==o[5];return o[4]&&(r+="@supports (".concat(o[4],") {")),o[2]&&(r+="@media ".concat(o[2]," {")),t&&(r+="@layer".concat(o[5].length>0?" ".concat(o[5]):""," {")),r+=e(o),t&&(r+="}"),o[2]&&(r+="}"),o[4]&&(r+="}"),r}).join("")},o.i=function(e,r,t,a,n){"string"==typeof e&&(e=[[null,e,void 0]]);var i={};if(t)for(var x=0;x<this.length;x++){var l=this[x][0];null!=l&&(i[l]=!0)}for(var d=0;d<e.length;d++){var s=[].concat(e[d]);t&&i[s[0]]||(void 0!==n&&(void 0===s[5]||(s[1]="@layer".concat(s[5].length>0?" ".concat(s[5]):""," {").concat(s[1],"}")),s[5]=n),r&&(s[2]&&(s[1]="@media ".concat(s[2]," {").concat(s[1],"}")),s[2]=r),a&&(s[4]?(s[1]="@supports (".concat(s[4],") {").concat(s[1],"}"),s[4]=a):s[4]="".concat(a)),o.push(s))}},o}},"./node_modules/css-loader/dist/runtime/noSourceMaps.js"(e){e.exports=function(e){return e[1]}},"./node_modules/style-loader/dist/runtime/injectStylesIntoStyleTag.js"(e){var o=[];function r(e){for(var r=-1,t=0;t<o.length;t++)if(o[t].identifier===e){r=t;break}return r}function t(e,t){for(var a={},n=[],i=0;i<e.length;i++){var x=e[i],l=t.base?x[0]+t.base:x[0],d=a[l]||0,s="".concat(l," ").concat(d);a[l]=d+1;var p=r(s),j={css:x[1],media:x[2],sourceMap:x[3],supports:x[4],layer:x[5]};if(-1!==p)o[p].references++,o[p].updater(j);else{var c=function(e,o){var r=o.domAPI(o);return r.update(e),function(o){o?(o.css!==e.css||o.media!==e.media||o.sourceMap!==e.sourceMap||o.supports!==e.supports||o.layer!==e.layer)&&r.update(e=o):r.remove()}}(j,t);t.byIndex=i,o.splice(i,0,{identifier:s,updater:c,references:1})}n.push(s)}return n}e.exports=function(e,a){var n=t(e=e||[],a=a||{});return function(e){e=e||[];for(var i=0;i<n.length;i++){var x=r(n[i]);o[x].references--}for(var l=t(e,a),d=0;d<n.length;d++){var s=r(n[d]);0===o[s].references&&(o[s].updater(),o.splice(s,1))}n=l}}},"./node_modules/style-loader/dist/runtime/insertBySelector.js"(e){var o={};e.exports=function(e,r){var t=function(e){if(void 0===o[e]){var r=document.querySelector(e);if(window.HTMLIFrameElement&&r instanceof window.HTMLIFrameElement)try{r=r.contentDocument.head}catch(e){r=null}o[e]=r}return o[e]}(e);if(!t)throw Error("Couldn't find a style target. This probably means that the value for the 'insert' parameter is invalid.");t.appendChild(r)}},"./node_modules/style-loader/dist/runtime/insertStyleElement.js"(e){e.exports=function(e){var o=document.createElement("style");return e.setAttributes(o,e.attributes),e.insert(o,e.options),o}},"./node_modules/style-loader/dist/runtime/setAttributesWithoutAttributes.js"(e,o,r){e.exports=function(e){var o=r.nc;o&&e.setAttribute("nonce",o)}},"./node_modules/style-loader/dist/runtime/styleDomAPI.js"(e){e.exports=function(e){if("u"<typeof document)return{update:function(){},remove:function(){}};var o=e.insertStyleElement(e);return{update:function(r){var t,a,n;t="",r.supports&&(t+="@supports (".concat(r.supports,") {")),r.media&&(t+="@media ".concat(r.media," {")),(a=void 0!==r.layer)&&(t+="@layer".concat(r.layer.length>0?" ".concat(r.layer):""," {")),t+=r.css,a&&(t+="}"),r.media&&(t+="}"),r.supports&&(t+="}"),(n=r.sourceMap)&&"u">typeof btoa&&(t+="\n/*# sourceMappingURL=data:application/json;base64,".concat(btoa(unescape(encodeURIComponent(JSON.stringify(n))))," */")),e.styleTagTransform(t,o,e.options)},remove:function(){var e;null===(e=o).parentNode||e.parentNode.removeChild(e)}}}},"./node_modules/style-loader/dist/runtime/styleTagTransform.js"(e){e.exports=function(e,o){if(o.styleSheet)o.styleSheet.cssText=e;else{for(;o.firstChild;)o.removeChild(o.firstChild);o.appendChild(document.createTextNode(e))}}},"./style/index.js"(e,o,r){var t=r("./node_modules/style-loader/dist/runtime/injectStylesIntoStyleTag.js"),a=r.n(t),n=r("./node_modules/style-loader/dist/runtime/styleDomAPI.js"),i=r.n(n),x=r("./node_modules/style-loader/dist/runtime/insertBySelector.js"),l=r.n(x),d=r("./node_modules/style-loader/dist/runtime/setAttributesWithoutAttributes.js"),s=r.n(d),p=r("./node_modules/style-loader/dist/runtime/insertStyleElement.js"),j=r.n(p),c=r("./node_modules/style-loader/dist/runtime/styleTagTransform.js"),f=r.n(c),u=r("./node_modules/css-loader/dist/cjs.js!./style/index.css"),h={};h.styleTagTransform=f(),h.setAttributes=s(),h.insert=l().bind(null,"head"),h.domAPI=i(),h.insertStyleElement=j(),a()(u.A,h),u.A&&u.A.locals&&u.A.locals}}]);