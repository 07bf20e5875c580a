// An open program with a slowdown of known place and mechanism in it; see bench_culprits.
// node culprits.js PROGRAM MECHANISM before|after SECONDS
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');

const CALLS = 8;
const PROGRAMS = {
  marked() {
    const {marked} = require('marked');
    return marked.parse('# Title\n\nSome *text* with `code` and [links](a).\n\n'.repeat(600));
  },
  acorn() {
    const acorn = require('acorn');
    const text = fs.readFileSync(require.resolve('acorn'), 'utf8');
    return acorn.parse(text, {ecmaVersion: 2022});
  },
};

let sink = 0;
let table, kept, bytes, others;

const MECHANISMS = {
  more_work: function checksum(seconds, slow) {
    let hash = 1;
    for (let i = 0, n = seconds * 4e8 * (slow ? 1 : 0.1); i < n; i++) hash = (hash * 31 + i) | 0;
    sink = hash;
  },
  worse_locality: function gather(seconds, slow) {
    table ||= new Int32Array(1 << 24).fill(1);
    const step = slow ? 1048583 : 1;
    for (let i = 0, at = 0, n = seconds * 6e7; i < n; i++) {
      at = (at + step) & (table.length - 1);
      sink += table[at];
    }
  },
  lock: function publish(seconds, slow) {
    const lock = new Int32Array(new SharedArrayBuffer(4));
    Atomics.wait(lock, 0, 0, 1000 * seconds * (slow ? 1 : 0.02));
  },
  allocation: function assemble(seconds, slow) {
    kept ||= Buffer.alloc(16 << 20);
    for (let i = 0; i < seconds * 150; i++) {
      const buffer = slow ? Buffer.allocUnsafeSlow(16 << 20) : kept;
      for (let at = 0; at < buffer.length; at += 4096) buffer[at] = i;
    }
  },
  fsync: function journal(seconds, slow) {
    const name = path.join(os.tmpdir(), `journal-${process.pid}`);
    const file = fs.openSync(name, 'w');
    for (let i = 0; i < seconds * 600; i++) {
      fs.writeSync(file, Buffer.alloc(4096));
      if (slow) fs.fsyncSync(file);
    }
    fs.closeSync(file);
    fs.unlinkSync(name);
  },
  sleep: function settle(seconds, slow) {
    const never = new Int32Array(new SharedArrayBuffer(4));
    Atomics.wait(never, 0, 0, 1000 * seconds * (slow ? 1 : 0.02));
  },
  garbage: function churn(seconds, slow) {
    kept ||= Array.from({length: 300000}, (_, i) => ({i}));
    for (let i = 0; i < seconds * 3e6; i++) kept[i % kept.length] = slow ? {i, next: [i]} : kept[0];
  },
  recursion: function visit(seconds, slow) {
    let n = 16;
    for (let left = seconds * 7000; left > 1; left /= 1.618) n++;
    const descend = function descend(k) {
      return k < 2 ? k : descend(k - 1) + descend(k - 2);
    };
    sink = descend(n + 3 - (slow ? 0 : 5));
  },
  scalar: function scale(seconds, slow) {
    bytes ||= Buffer.alloc(1 << 20);
    others ||= Buffer.alloc(1 << 20);
    for (let t = 0; t < seconds * 200; t++) {
      if (!slow) {
        sink += bytes.equals(others);
      } else {
        for (let i = 0; i < bytes.length; i++) sink += bytes[i] === others[i];
      }
    }
  },
  slower_library: function arrange(seconds, slow) {
    for (let t = 0; t < seconds * 150; t++) {
      const items = Array.from({length: 4000}, (_, i) => (i * 7919) % 10007);
      if (!slow) {
        items.sort((a, b) => a - b);
        continue;
      }
      for (let i = 1; i < items.length; i++) {
        let j = i;
        const item = items[i];
        for (; j > 0 && items[j - 1] > item; j--) items[j] = items[j - 1];
        items[j] = item;
      }
    }
  },
  warm_up: function prepare(seconds, slow) {
    if (!slow && sink < 0) return;
    for (let t = 0; t < (slow ? seconds * 40000 : 1); t++) {
      sink += new Function('x', `return x + ${t + seconds} * 2`)(1);
    }
  },
  neighbour() {},
};

const [program, mechanism, side, seconds] = process.argv.slice(2);
for (let t = 0; t < Number(seconds) * 40; t++) PROGRAMS[program]();
for (let t = 0; t < CALLS; t++) MECHANISMS[mechanism](Number(seconds) / CALLS, side === 'after');
