// JavaScript kernel: evaluates cells in Node's own console mode ("replMode"), where let and const may be declared again and
// await may stand anywhere. The protocol is in ../PROTOCOL.md.
//
// Cells are evaluated through the inspector of the main thread; a worker reads the requests, so that an interrupt is seen while
// a cell loops: it connects to the main thread and terminates the evaluation. Node 18 or newer, no packages.
//
// SPDX-License-Identifier: GPL-3.0-or-later
'use strict';

const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const fs = require('fs');
const { Session } = require('inspector');

const MAX_TEXT = 16 * 1024;
const MAX_TRACEBACK = 64 * 1024;
const MAX_INLINE = 700000;
const EXTENSIONS = {
  'image/png': '.png', 'image/jpeg': '.jpg', 'image/gif': '.gif', 'image/webp': '.webp', 'image/svg+xml': '.svg',
  'text/html': '.html', 'text/markdown': '.md', 'text/plain': '.txt', 'application/json': '.json',
  'application/vnd.interpreter.table+json': '.json',
};

function writeAll(descriptor, bytes) {
  let written = 0;
  while (written < bytes.length) {
    try {
      written += fs.writeSync(descriptor, bytes, written);
    } catch (error) {
      if (error.code !== 'EAGAIN') return false;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1); // a full pipe: its reader is behind
    }
  }
  return true;
}

function openChannel(value, flags) {
  return value.startsWith('/') ? fs.openSync(value, flags) : Number(value);
}

// ---- the worker: requests ----

function readRequests() {
  const session = new Session();
  session.connectToMainThread();
  let rest = Buffer.alloc(0);
  const chunk = Buffer.alloc(65536);

  for (;;) {
    let count;
    try {
      count = fs.readSync(workerData.requests, chunk, 0, chunk.length, null);
    } catch (error) {
      if (error.code === 'EAGAIN' || error.code === 'EINTR') continue;
      count = 0;
    }
    if (count === 0) {
      session.disconnect();
      parentPort.postMessage({ t: 'shutdown' });
      return;
    }
    rest = Buffer.concat([rest, chunk.subarray(0, count)]);
    for (let end; (end = rest.indexOf(10)) >= 0; ) {
      let request = null;
      try {
        request = JSON.parse(rest.subarray(0, end).toString('utf8'));
      } catch {
        // not understood: ignored
      }
      rest = rest.subarray(end + 1);
      if (request === null || typeof request !== 'object') continue;
      if (request.t === 'interrupt') {
        if (request.id === Atomics.load(workerData.running, 0)) {
          Atomics.store(workerData.interrupted, 0, request.id);
          parentPort.postMessage(request);
          // A main thread that waits has answered by then. One that computes cannot; to terminate one that waits would
          // hit whatever it does next.
          if (Atomics.wait(workerData.interrupted, 0, request.id, 50) === 'timed-out' &&
              Atomics.load(workerData.running, 0) === request.id) {
            session.post('Runtime.terminateExecution', () => {});
          }
        }
      } else {
        if (request.t === 'shutdown') session.disconnect();
        parentPort.postMessage(request);
        if (request.t === 'shutdown') return;
      }
    }
  }
}

if (!isMainThread) {
  readRequests();
  return;
}

// ---- the main thread ----

const util = require('util');
const path = require('path');
const { Console } = require('console');
const { createRequire } = require('module');
const { pathToFileURL } = require('url');

const requests = openChannel(process.env.INTERP_KERNEL_REQUESTS, 'r');
const events = openChannel(process.env.INTERP_KERNEL_EVENTS, 'w');
const token = process.env.INTERP_KERNEL_TOKEN;
const spool = process.env.INTERP_KERNEL_SPOOL;
for (const name of Object.keys(process.env)) if (name.startsWith('INTERP_KERNEL_')) delete process.env[name];

const running = new Int32Array(new SharedArrayBuffer(4));
const interrupted = new Int32Array(new SharedArrayBuffer(4));
const session = new Session();
session.connect();

let inline = !spool;
let cell = 0; // the one that runs
let leave = null; // ends the wait of the cell that runs: leave ({status, code})
let displays = 0;
let signalled = 0; // the last cell during which a SIGINT came

const send = (event) => writeAll(events, Buffer.from(JSON.stringify(event) + '\n'));
const mark = (what) => writeAll(1, Buffer.from(`\x1b]7770;${token};${what};${cell}\x07`));
const say = (text) => writeAll(2, Buffer.from(text));

function shorten(text, limit) {
  if (text.length <= limit) return text;
  return text.slice(0, limit / 4) + '\n…\n' + text.slice(text.length - (limit * 3) / 4);
}

function post(method, parameters) {
  return new Promise((resolve, reject) => {
    session.post(method, parameters, (error, result) => (error ? reject(error) : resolve(result)));
  });
}

function display(mime, data, options = {}) {
  if (typeof mime !== 'string') throw new TypeError('display (mime, data): mime is a text such as "image/svg+xml"');
  const bytes = Buffer.isBuffer(data) || data instanceof Uint8Array ? Buffer.from(data)
    : Buffer.from(typeof data === 'string' ? data : JSON.stringify(data));
  const event = { t: 'display', id: cell, mime };
  if (options.text) event.text = shorten(String(options.text), MAX_TEXT);
  if (options.scale > 0) event.scale = Number(options.scale);
  if (options.display_id) event.display_id = String(options.display_id).slice(0, 200);
  if (inline) {
    if (bytes.length > MAX_INLINE) {
      event.mime = 'text/plain';
      event.data = Buffer.from(`(${mime} of ${bytes.length} bytes is too large to be shown)`).toString('base64');
    } else {
      event.data = bytes.toString('base64');
    }
  } else {
    event.path = path.join(spool, `js-${process.pid}-${++displays}${EXTENSIONS[mime] || '.bin'}`);
    fs.writeFileSync(event.path, bytes, { mode: 0o600 });
  }
  send(event);
}

// ---- import in a script ----

// Where code stands outside of strings, templates, comments and regular expressions.
function* codeParts(source) {
  let i = 0;
  let start = 0;
  let last = ''; // last character of code that is no blank
  const templates = []; // depth of braces at which each open template goes on
  let depth = 0;
  const skipString = (quote) => {
    for (i++; i < source.length && source[i] !== quote && source[i] !== '\n'; i++) if (source[i] === '\\') i++;
    i++;
  };
  const skipTemplate = () => {
    for (i++; i < source.length; i++) {
      if (source[i] === '\\') i++;
      else if (source[i] === '`') {
        i++;
        return;
      } else if (source[i] === '$' && source[i + 1] === '{') {
        i += 2;
        templates.push(depth);
        return;
      }
    }
  };
  while (i < source.length) {
    const c = source[i];
    const next = source[i + 1];
    const isRegex = c === '/' && next !== '/' && next !== '*' && (last === '' || '(,=:[!&|?{};+-*%<>~^'.includes(last));
    if (c === '"' || c === "'" || c === '`' || (c === '/' && (next === '/' || next === '*')) || isRegex ||
        (c === '}' && templates.length > 0 && templates[templates.length - 1] === depth)) {
      yield [start, i];
      if (c === '"' || c === "'") skipString(c);
      else if (c === '`') skipTemplate();
      else if (c === '}') {
        templates.pop();
        skipTemplate();
      } else if (isRegex) {
        let inClass = false;
        for (i++; i < source.length && source[i] !== '\n' && (inClass || source[i] !== '/'); i++) {
          if (source[i] === '\\') i++;
          else if (source[i] === '[') inClass = true;
          else if (source[i] === ']') inClass = false;
        }
        i++;
      } else if (next === '/') {
        while (i < source.length && source[i] !== '\n') i++;
      } else {
        const end = source.indexOf('*/', i + 2);
        i = end < 0 ? source.length : end + 2;
      }
      start = i;
      if (c !== '/' || isRegex) last = c === '/' ? ')' : c;
      continue;
    }
    if (c === '{') depth++;
    if (c === '}') depth--;
    if (!/\s/.test(c)) last = c;
    i++;
  }
  yield [start, source.length];
}

const STATEMENT = /(^|[;}\n])([ \t]*)import(?:[ \t]+([^'"()]*?)[ \t\n]*from)?[ \t]*$/;

function bindings(clause, module) {
  const parts = [];
  let rest = clause.trim();
  const named = rest.match(/\{([^}]*)\}/);
  const all = rest.match(/\*\s*as\s+([\w$]+)/);
  if (named) {
    const names = named[1].split(',').map((name) => name.trim()).filter(Boolean)
      .map((name) => name.replace(/^(\S+)\s+as\s+(\S+)$/, '$1: $2'));
    parts.push(...names);
    rest = rest.replace(named[0], '');
  }
  if (all) rest = rest.replace(all[0], '');
  const first = rest.replace(/,/g, ' ').trim();
  if (first) parts.unshift(`default: ${first}`);
  const lines = '\n'.repeat((clause.match(/\n/g) || []).length); // no line moves
  if (all) {
    const more = first ? `, {default: ${first}} = ${all[1]}` : '';
    return `var ${all[1]} = await ${module}${more};${lines}`;
  }
  return `var {${parts.join(', ')}} = await ${module};${lines}`;
}

// Scripts have neither import statements nor, evaluated so, import ().
function rewriteImports(source) {
  if (!source.includes('import')) return source;
  let result = '';
  let from = 0;
  for (const [start, end] of codeParts(source)) {
    let code = source.slice(start, end);
    if (start < from) {
      if (end <= from) continue;
      code = source.slice(from, end);
    } else {
      result += source.slice(from, start);
    }
    from = end;
    code = code.replace(/(^|[^.\w$])import(\s*)\(/g, '$1__interpreter_import__$2(');
    const statement = code.match(STATEMENT);
    const quote = source[end];
    if (statement && (quote === '"' || quote === "'") && (statement[1] !== '' || start === 0 || /[\n;}]\s*$/.test(source.slice(0, start)) || source.slice(0, start).trim() === '')) {
      const close = source.indexOf(quote, end + 1);
      const newline = source.indexOf('\n', end + 1);
      if (close > 0 && (newline < 0 || close < newline)) {
        const name = source.slice(end, close + 1);
        const module = `__interpreter_import__(${name})`;
        result += code.slice(0, code.length - statement[0].length) + statement[1] + statement[2] +
          (statement[3] ? bindings(statement[3], module) : `await ${module};`);
        from = close + 1;
        const attributes = source.slice(from).match(/^\s*(with|assert)\s*\{[^}]*\}/);
        if (attributes) from += attributes[0].length;
        if (source[from] === ';') from++;
        continue;
      }
    }
    result += code;
  }
  return result + source.slice(from);
}

function importModule(name, options) {
  let where = String(name);
  if (where.startsWith('./') || where.startsWith('../') || where.startsWith('/')) {
    where = pathToFileURL(path.resolve(process.cwd(), where)).href;
  } else if (!/^[a-z][a-z0-9+.-]+:/i.test(where)) {
    try {
      const found = createRequire(path.join(process.cwd(), 'cell.js')).resolve(where);
      if (path.isAbsolute(found)) where = pathToFileURL(found).href;
    } catch {
      // import () says what is wrong
    }
  }
  return options === undefined ? import(where) : import(where, options);
}

// ---- a cell ----

class Leaving extends Error {}

function describeError(details) {
  const exception = details.exception;
  const isError = exception && exception.subtype === 'error';
  const description = exception ? (exception.description ?? util.inspect(exception.value)) : details.text;
  const name = isError ? exception.className || 'Error' : '';
  let line = 0;
  let found = description.match(new RegExp(`cell-${cell}\\.js:(\\d+)`));
  if (found) line = Number(found[1]);
  else if (details.url === `cell-${cell}.js` || !details.url) line = (details.lineNumber ?? -1) + 1;
  // Frames of this file say nothing about the user's code.
  const text = description.split('\n').filter((row) => !row.includes(__filename) && !/^\s+at (new Promise \(<anonymous>\)$|.*node:(internal|inspector))/.test(row)).join('\n');
  const firstLine = text.split('\n')[0];
  const message = name && firstLine.startsWith(name) ? firstLine.slice(name.length).replace(/^:?\s*/, '') : firstLine;
  const missing = description.match(/Cannot find (?:module|package) ['"](@[\w.-]+\/[\w.-]+|[\w.-]+)/);
  return { name, message, text: shorten(text, MAX_TRACEBACK), line, module: missing ? missing[1] : undefined };
}

async function show(result) {
  if (result.type === 'undefined') return;
  // Printed as Node's console prints it.
  const printer = await post('Runtime.evaluate', { expression: '__interpreter_print__' });
  const argument = result.objectId ? { objectId: result.objectId }
    : result.unserializableValue ? { unserializableValue: result.unserializableValue } : { value: result.value };
  await post('Runtime.callFunctionOn', {
    objectId: printer.result.objectId, functionDeclaration: 'function (value) { this (value); }', arguments: [argument],
  });
}

// A child program that was interrupted is an error to the code that waited for it. Signals are seen between two turns of the loop.
async function isSignalled() {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
  return signalled === cell || Math.abs(Atomics.load(interrupted, 0)) === cell;
}

// Code that was terminated inside a write leaves the stream waiting for it for ever.
function renewOutput() {
  const { WriteStream } = require('tty');
  for (const [name, descriptor] of [['stdout', 1], ['stderr', 2]]) {
    if (!process[name].isTTY) continue;
    const stream = new WriteStream(descriptor);
    Object.defineProperty(process, name, { value: stream, configurable: true, enumerable: true, writable: true });
  }
  define('console', new Console({ stdout: process.stdout, stderr: process.stderr }));
}

async function execute(request) {
  let code = request.code;
  if (typeof code !== 'string') code = fs.readFileSync(request.path, 'utf8');
  cell = request.id;
  Atomics.store(interrupted, 0, 0);
  Atomics.store(running, 0, cell);
  mark('start');
  send({ t: 'started', id: cell });

  let outcome = { status: 'ok', code: 0 };
  const left = new Promise((resolve) => { leave = resolve; });
  try {
    const evaluated = post('Runtime.evaluate', {
      expression: `${rewriteImports(code)}\n//# sourceURL=cell-${cell}.js`, replMode: true, awaitPromise: true,
      generatePreview: false, userGesture: true,
    });
    const result = await Promise.race([evaluated, left]);
    evaluated.catch(() => {});
    if (result.status) {
      outcome = result;
    } else if (Math.abs(Atomics.load(interrupted, 0)) === cell) {
      outcome = { status: 'interrupted', code: 130 };
    } else if (result.exceptionDetails && (await isSignalled())) {
      outcome = { status: 'interrupted', code: 130 };
    } else if (result.exceptionDetails) {
      const exception = result.exceptionDetails.exception;
      if (exception && /^Leaving/.test(exception.className || '')) {
        outcome = await left;
      } else {
        const error = describeError(result.exceptionDetails);
        say(`Uncaught ${error.text}\n`);
        send({ t: 'error', id: cell, name: error.name, message: shorten(error.message, MAX_TEXT), traceback: error.text,
               line: error.line, module: error.module });
        outcome = { status: 'error', code: 1 };
      }
    } else {
      await show(result.result);
    }
  } catch (error) {
    if (Math.abs(Atomics.load(interrupted, 0)) === cell || /terminat/i.test(error.message)) {
      outcome = { status: 'interrupted', code: 130 };
    } else {
      say(`${error.message}\n`);
      send({ t: 'error', id: cell, name: error.name || '', message: shorten(String(error.message), MAX_TEXT), traceback: '', line: 0 });
      outcome = { status: 'error', code: 1 };
    }
  }
  leave = null;
  Atomics.store(running, 0, 0);
  if (outcome.status === 'interrupted') renewOutput();
  mark('end');
  let cwd = '/';
  try {
    cwd = process.cwd();
  } catch {
    // the folder was removed
  }
  send({ t: 'finished', id: cell, status: outcome.status, code: outcome.code, cwd });
}

// ---- the world that cells see ----

function define(name, value) {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
}

define('require', createRequire(path.join(process.cwd(), 'cell.js')));
define('module', { exports: {} });
define('exports', globalThis.module.exports);
define('display', display);
define('__interpreter_import__', importModule);
define('__interpreter_print__', (value) => {
  console.log(typeof value === 'string' ? util.inspect(value) : util.inspect(value, { colors: process.stdout.isTTY, depth: 3, maxArrayLength: 100, maxStringLength: 10000 }));
});

process.exit = (code) => {
  const status = Number(code ?? process.exitCode ?? 0) & 255;
  if (leave) leave({ status: 'exit', code: status });
  throw new Leaving(`process.exit (${status})`);
};
// The message interrupts, and says which cell it means; the signal is for child programs.
process.on('SIGINT', () => { signalled = cell; });
process.on('uncaughtException', (error) => {
  if (!(error instanceof Leaving)) say(`Uncaught ${(error && error.stack) || util.inspect(error)}\n`);
});
process.on('unhandledRejection', (reason) => {
  if (!(reason instanceof Leaving)) say(`Uncaught (in promise) ${(reason && reason.stack) || util.inspect(reason)}\n`);
});

const reallyExit = process.reallyExit.bind(process);
// It would wait for the worker, which waits for requests.
process.reallyExit = process.exit;
let queue = Promise.resolve();
const worker = new Worker(__filename, { workerData: { requests, running, interrupted }, stdin: false, stdout: false, stderr: false });
worker.on('message', (request) => {
  switch (request.t) {
    case 'execute':
      if (Number.isSafeInteger(request.id)) queue = queue.then(() => execute(request));
      break;
    case 'interrupt':
      Atomics.store(interrupted, 0, -request.id);
      Atomics.notify(interrupted, 0);
      if (leave && request.id === cell) leave({ status: 'interrupted', code: 130 });
      break;
    case 'config':
      if (typeof request.inline === 'boolean') inline = request.inline || !spool;
      break;
    case 'shutdown':
      queue = queue.then(() => {
        send({ t: 'exiting', code: 0 });
        session.disconnect();
        worker.terminate().then(() => reallyExit(0));
      });
      break;
    default:
      break;
  }
});

send({
  t: 'ready', proto: 1, lang: 'javascript', version: process.versions.node, pid: process.pid, exe: process.execPath,
  cwd: process.cwd(), features: ['display'],
});
