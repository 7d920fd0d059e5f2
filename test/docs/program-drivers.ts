/**
 * Programs that run a documented program for many requests in one process, because starting one for
 * each takes most of the time. They read `{ file, requests: [{ variables, body }] }` from stdin, with
 * the body in base64, and run the file for each request with its environment, stdin, output and exit
 * code. They print the list of results. By the extension of the file; the arguments of its interpreter.
 */
export const PROGRAM_DRIVERS: Readonly<Record<string, readonly string[]>> = {
  ts: [
    '--input-type=module',
    '-e',
    `
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { pathToFileURL } from 'node:url'
const { readFileSync } = fs
const { file, requests } = JSON.parse(readFileSync(0, 'utf8'))
const results = []
for (const { variables, body } of requests) {
  process.env = variables
  fs.readFileSync = (path, ...rest) =>
    path === 0 ? Buffer.from(body, 'base64') : readFileSync(path, ...rest)
  syncBuiltinESMExports()
  let printed = ''
  console.log = (line) => { printed += line + '\\n' }
  process.exitCode = 0
  // An error that is not caught ends a process with 1.
  const failed = await import(pathToFileURL(file) + '?' + results.length).then(() => false, () => true)
  results.push({ code: failed ? 1 : process.exitCode, printed: printed.trim() })
}
process.exitCode = 0
process.stdout.write(JSON.stringify(results))
`,
  ],
  py: [
    '-c',
    `
import base64, contextlib, io, json, os, runpy, sys
task = json.load(sys.stdin)
results = []
for request in task["requests"]:
    os.environ.clear()
    os.environ.update(request["variables"])
    sys.stdin = io.TextIOWrapper(io.BytesIO(base64.b64decode(request["body"])))
    printed = io.StringIO()
    code = 0
    try:
        with contextlib.redirect_stdout(printed):
            runpy.run_path(task["file"])
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except Exception:
        code = 1
    results.append({"code": code, "printed": printed.getvalue().strip()})
json.dump(results, sys.stdout)
`,
  ],
}
