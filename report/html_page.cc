#include "report/html_page.h"

namespace tenon {

const std::string_view kHtmlHead = R"html(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Memory report</title>
)html";

const std::string_view kHtmlStyle = R"html(<style>
:root {
  --page: #f6f6f3; --card: #ffffff; --text: #1c1d1f; --muted: #5c6066; --line: #dcdcd6;
  --axis: #8a8d92; --low-tensor: #cfe3f5; --high-tensor: #0b4f8a; --low-scratch: #fbe0bd;
  --high-scratch: #c96a10; --low-constant: #d3eadf; --high-constant: #1f6f5c; --curve: #b3261e;
  --good: #1a7f4b; --hover: #d6247f; color-scheme: light;
}
@media (prefers-color-scheme: dark) {
  :root:not([data-theme=light]) {
    --page: #16181b; --card: #1e2125; --text: #e8e8e6; --muted: #a2a6ad; --line: #33373d;
    --axis: #767b83; --low-tensor: #1d3a55; --high-tensor: #6fb1ea; --low-scratch: #4d3318;
    --high-scratch: #f0a457; --low-constant: #1e4238; --high-constant: #6cc9ae; --curve: #ff8a80;
    --good: #5bd39a; --hover: #ff5fa8; color-scheme: dark;
  }
}
:root[data-theme=dark] {
    --page: #16181b; --card: #1e2125; --text: #e8e8e6; --muted: #a2a6ad; --line: #33373d;
    --axis: #767b83; --low-tensor: #1d3a55; --high-tensor: #6fb1ea; --low-scratch: #4d3318;
    --high-scratch: #f0a457; --low-constant: #1e4238; --high-constant: #6cc9ae; --curve: #ff8a80;
    --good: #5bd39a; --hover: #ff5fa8; color-scheme: dark;
}
* { box-sizing: border-box; }
body {
  margin: 0; padding: 28px clamp(14px, 3vw, 44px) 60px; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
main { max-width: 1280px; margin: 0 auto; }
h1 { font-size: 24px; font-weight: 650; margin: 0; letter-spacing: -0.01em; overflow-wrap: anywhere; }
h2 { font-size: 17px; font-weight: 650; margin: 0; }
.sub { color: var(--muted); margin: 2px 0 20px; overflow-wrap: anywhere; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(190px, 1fr)); gap: 12px; }
.tile, .card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.tile { padding: 12px 16px; }
.tile .name { color: var(--muted); font-size: 13px; }
.tile .value { font-size: 24px; font-weight: 620; font-variant-numeric: tabular-nums; }
.tile .note { color: var(--muted); font-size: 13px; overflow-wrap: anywhere; }
.good { color: var(--good); font-weight: 600; }
.card { padding: 16px 18px; margin-top: 16px; }
.head { display: flex; flex-wrap: wrap; gap: 6px 16px; align-items: baseline; margin-bottom: 8px; }
.head .facts { color: var(--muted); font-size: 13.5px; font-variant-numeric: tabular-nums; }
.head .tools { margin-left: auto; display: flex; gap: 10px; align-items: center; font-size: 13px;
  color: var(--muted); }
canvas { display: block; width: 100%; touch-action: pan-y; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; color: var(--muted); font-size: 12.5px;
  margin-top: 6px; align-items: center; }
.legend i { display: inline-block; width: 22px; height: 0; border-top: 2px solid; margin-right: 6px;
  vertical-align: 4px; }
.legend .swatch { display: inline-block; width: 34px; height: 11px; border-radius: 3px;
  margin-right: 6px; vertical-align: -1px; }
.swatch.tensor { background: linear-gradient(90deg, var(--low-tensor), var(--high-tensor)); }
.swatch.scratch { background: linear-gradient(90deg, var(--low-scratch), var(--high-scratch)); }
.swatch.constant { background: linear-gradient(90deg, var(--low-constant), var(--high-constant)); }
.swatch.shared { background: repeating-linear-gradient(135deg, var(--high-constant) 0 4px, var(--card) 4px 6px); }
.swatch.overlap { background: repeating-linear-gradient(135deg, var(--high-tensor) 0 4px,
  color-mix(in srgb, var(--high-tensor) 62%, var(--low-tensor)) 4px 8px); }
.swatch.padding { background: var(--line); }
.card > .facts { color: var(--muted); font-size: 13.5px; margin-bottom: 8px; }
.card > .legend { margin-bottom: 10px; }
.legend .hint { margin-left: auto; }
.peak { margin-top: 12px; font-size: 14px; }
.peak code { font-size: 12.5px; overflow-wrap: anywhere; color: var(--muted); }
.peak .bar { height: 26px; display: flex; border-radius: 5px; overflow: hidden; margin: 6px 0;
  border: 1px solid var(--line); }
.peak .bar span { min-width: 1px; border-right: 1px solid var(--card); padding: 3px 0 0 7px;
  font-size: 12px; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; cursor: pointer; }
table.plain { width: auto; }
table.plain th { cursor: default; }
table.plain th, table.plain td { padding: 4px 20px 4px 0; }
table.plain td:first-child { white-space: normal; overflow-wrap: anywhere; }
.why { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 540px), 1fr)); gap: 8px 36px;
  margin-top: 16px; align-items: start; }
.why h3, .diff h3 { font-size: 14px; font-weight: 600; margin: 0 0 2px; }
.why table { width: 100%; }
.why th { white-space: normal; vertical-align: bottom; }
.why th, .why td { padding-right: 14px; }
.why td.bar { width: 24%; min-width: 90px; }
.why td:first-child { min-width: 200px; }
.why td.bar div { background: var(--line); border-radius: 3px; height: 12px; }
.why td.bar div div { background: var(--curve); opacity: 0.75; }
.diff .down { color: var(--good); }
.diff .up { color: var(--curve); }
select, input, button {
  font: inherit; font-size: 13px; color: var(--text); background: var(--card);
  border: 1px solid var(--line); border-radius: 6px; padding: 3px 8px;
}
button { cursor: pointer; }
input[type=search] { width: min(280px, 100%); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13.5px; }
th, td { text-align: left; padding: 5px 20px 5px 0; border-bottom: 1px solid var(--line);
  white-space: nowrap; }
th { color: var(--muted); font-weight: 550; cursor: pointer; user-select: none; }
th[aria-sort=ascending]::after { content: " \2191"; }
th[aria-sort=descending]::after { content: " \2193"; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
td.wide { white-space: normal; overflow-wrap: anywhere; min-width: 200px; color: var(--muted); }
tbody tr:hover { background: color-mix(in srgb, var(--hover) 14%, transparent); }
tr.found { background: color-mix(in srgb, var(--hover) 34%, transparent) !important; }
.more { margin-top: 8px; }
.buttons { display: inline-flex; gap: 4px; }
.buttons button { min-width: 28px; }
#theme { float: right; }
@media print {
  body { padding: 0; background: #ffffff; font-size: 12px; }
  .card, .tile { break-inside: avoid; }
  .tiles { grid-template-columns: repeat(4, 1fr); gap: 6px; }
  .tile { padding: 6px 10px; }
  .tile .value { font-size: 18px; }
  .tile .name, .tile .note, .head .facts { font-size: 11px; }
  .card { padding: 10px 12px; margin-top: 10px; }
  table { font-size: 9.5px; }
  th, td { padding: 2px 10px 2px 0; }
  .scroll { overflow: visible; }
  canvas { height: auto !important; }
  td:first-child { white-space: normal; overflow-wrap: anywhere; min-width: 120px; }
  #tables .card { break-inside: auto; }
  tr { break-inside: avoid; }
  .tools, .hint, .more, #theme { display: none !important; }
}
#tip {
  position: fixed; pointer-events: none; z-index: 9; max-width: 420px; padding: 8px 12px;
  background: var(--card); color: var(--text); border: 1px solid var(--axis); border-radius: 8px;
  box-shadow: 0 6px 24px rgb(0 0 0 / 0.22); font-size: 13px; overflow-wrap: anywhere;
}
#tip[hidden] { display: none; }
#tip b { display: block; font-size: 14px; }
#tip .grey { color: var(--muted); }
</style>
</head>
)html";

const std::string_view kHtmlBody = R"html(<body>
<main>
<button id="theme" title="light or dark">&#9680;</button>
<h1 id="title">Memory report</h1>
<p class="sub" id="subtitle"></p>
<div class="tiles" id="tiles"></div>
<div id="pools"></div>
<div id="tables"></div>
<noscript><p>This page draws the report with a script that it carries itself.</p></noscript>
</main>
<div id="tip" hidden></div>
)html";

}  // namespace tenon
