// How operators use memory. A value is a buffer, or an input or output that the caller owns. The uses of an
// operator are a map from values to "write", "read" or "own" (its scratch memory); the users of a value are a
// map from operators to "write" or "read".
const tensors = report.tensors.map((t) => t.pool === undefined ? t
  : buffers.find((b) => b.pool === t.pool && b.name === t.name && b.offset === t.offset) || t);
const usesOf = new Map(), usersOf = new Map();
for (const step of report.steps) {
  const uses = new Map();
  const add = (list, all, role) => {
    for (const i of list || []) {
      const value = all[i];
      if (!uses.has(value)) uses.set(value, role);
      if (!usersOf.has(value)) usersOf.set(value, new Map());
      if (!usersOf.get(value).has(step)) usersOf.get(value).set(step, role === "own" ? "write" : role);
    }
  };
  add(step.writes, buffers, "write");
  add(step.outputs, tensors, "write");
  add(step.reads, buffers, "read");
  add(step.inputs, tensors, "read");
  add(step.scratch, buffers, "own");
  usesOf.set(step, uses);
}
const isStep = (x) => usesOf.has(x);
const valuesOf = (step, role, constants) => [...usesOf.get(step)].filter(
  ([v, r]) => r === role && (v.kind === "constant") === constants).map(([v]) => v);
const stepsOf = (value, role) => [...usersOf.get(value) || []].filter(([, r]) => r === role).map(([s]) => s);

// The thing that the pointer is on, and the one that a click or a key chose: a value, an operator, or null. `marked`
// has the values that all pictures mark for it, each with its use; "self" is the value that the pointer is on.
const maps = [];
let over = null, chosen = null, marked = new Map();
const isFilled = (value) => marked.get(value) === "write" || marked.get(value) === "self";
// The operator that is marked, or null.
function shownStep() {
  const now = over ?? chosen;
  return now !== null && isStep(now) ? now : null;
}

function markAll() {
  const now = over ?? chosen;
  marked = now === null ? new Map() : isStep(now) ? usesOf.get(now) : new Map([[now, "self"]]);
  maps.forEach((m) => m.paint());
}

function pointAt(x) {
  if (x === over) return;
  over = x;
  markAll();
}

function choose(x) {
  chosen = x;
  markAll();
  maps.forEach((m) => m.choose && m.choose());
}
