/**
 * Programs that run the samples of a language in one process, because starting one for each takes
 * most of the time. They read a list of `{ file, prefix, variable }` from stdin, and print what each
 * sample prints, followed by a NUL. From that they set the variable of later samples.
 */
export const SAMPLE_DRIVERS = {
  typescript: `
import { format } from 'node:util'
const samples = JSON.parse(await new Response(process.stdin).text())
for (const { file, prefix, variable } of samples) {
  let printed = ''
  console.log = (...values) => { printed += format(...values) + '\\n' }
  await import(file)
  process.stdout.write(printed + '\\0')
  if (variable) process.env[variable] = printed.match(new RegExp(prefix + '_[0-9a-z]{26}'))?.[0]
}
`,
  python: `
import contextlib, io, json, os, re, runpy, sys
for sample in json.load(sys.stdin):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        runpy.run_path(sample["file"])
    sys.stdout.write(printed.getvalue() + "\\0")
    if "variable" in sample:
        found = re.search(sample["prefix"] + "_[0-9a-z]{26}", printed.getvalue())
        os.environ[sample["variable"]] = found.group()
`,
} as const
