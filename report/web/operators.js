document.getElementById("tables").prepend(table("Targets", report.operators, [
  {title: "operator", value: (o) => o.name},
  {title: "kind", value: (o) => o.kind},
  {title: "multiplications (MACs)", value: (o) => o.macs, kind: "number", first: true},
  {title: "elements", value: (o) => o.elements, kind: "number"},
  {title: "target", value: (o) => o.target},
  {title: "why not", value: (o) => o.why_not, kind: "wide"},
]));
