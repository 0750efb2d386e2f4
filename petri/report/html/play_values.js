"use strict";
/* Expressions of the net. An int beyond 2^53 is a BigInt, all others are Numbers, so that equal values are `===`. */
const exactly = (x) => typeof x === "string" ? BigInt(x) : x;  // as the page's data contains ints
const wholly = (x) => typeof x === "bigint" && x >= Number.MIN_SAFE_INTEGER && x <= Number.MAX_SAFE_INTEGER ? Number(x) : x;
const whole = (x) => Number.isSafeInteger(x) ? x : BigInt(x);
const arithmetic = {
  neg: (a) => -a,
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  abs: (a) => a < 0 ? -a : a,
  min: (a, b) => b < a ? b : a,
  max: (a, b) => b > a ? b : a,
};
const ints = (operate, ...args) => {
  const near = args.some((x) => typeof x === "bigint") ? null : operate(...args);
  return Number.isSafeInteger(near) ? near : wholly(operate(...args.map(BigInt)));
};
const divided = (a, b) => [a / b - (a % b !== 0n && (a < 0n) !== (b < 0n) ? 1n : 0n), a % b && (a < 0n) !== (b < 0n) ? a % b + b : a % b];
/* The value of an expression; world: {now, end, size(place)}. */
const valueOf = (e, variables, world) => {
  const { op, kind, args, value: constant } = e;
  const arg = (i) => valueOf(args[i], variables, world);
  if (op in arithmetic) {
    const values = args.map((_, i) => arg(i));
    return kind === "int" ? ints(arithmetic[op], ...values) : arithmetic[op](...values);
  }
  switch (op) {
    case "const": return exactly(constant);
    case "var": return variables[constant];
    case "tokens": return world.size(constant);
    case "now": return world.now;
    case "end": return world.end;
    case "and": return arg(0) && arg(1);
    case "or": return arg(0) || arg(1);
    case "if": return arg(0) ? arg(1) : arg(2);
    case "not": return !arg(0);
    case "div": return arg(0) / arg(1);
    case "idiv": return wholly(divided(BigInt(arg(0)), BigInt(arg(1)))[0]);
    case "mod": return wholly(divided(BigInt(arg(0)), BigInt(arg(1)))[1]);
    case "within": return arg(0);
    case "real": return Number(arg(0));
    case "ticks": return arg(0) * constant;
    case "units": return arg(0) / constant;
    case "floor": return whole(Math.floor(arg(0)));
    case "ceil": return whole(Math.ceil(arg(0)));
    case "round": { const a = arg(0), f = Math.floor(a); return whole(a - f === 0.5 ? f + (f % 2 ? 1 : 0) : Math.round(a)); }
    case "sqrt": return Math.sqrt(arg(0));
    case "ln": return Math.log(arg(0));
    case "pow": return arg(0) ** arg(1);
    case "eq": return arg(0) === arg(1);
    case "ne": return arg(0) !== arg(1);
    case "lt": return arg(0) < arg(1);
    case "le": return arg(0) <= arg(1);
    case "gt": return arg(0) > arg(1);
    case "ge": return arg(0) >= arg(1);
  }
  throw new Error(op);
};
