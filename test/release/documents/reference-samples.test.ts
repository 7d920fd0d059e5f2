import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { OPERATION_ORDER } from '#http/api-reference/reference/reference-page.ts'
import { openFreshDocket } from '#test/support/engines/fresh-docket.ts'
import { openTestDocket } from '#test/support/engines/test-docket.ts'
import { listenOnPort } from '#test/support/server/raw-exchange.ts'
import { createMemoryTempDir, createTempDir } from '#test/support/system/temp-dir.ts'
import { createDemoWorkspace } from '../../../src/demo/create-demo-workspace.ts'
import { createDemoCredentials } from '../../../src/demo/first-start.ts'
import { GO_ENV } from '../webhook-programs/documented-programs.ts'
import { execScript } from './code-blocks.ts'
import { type PageSample, readPageSamples, readSetUp } from './page-samples.ts'

/** The page at /docs, which has the samples of all languages. */
let page: Promise<string> | undefined

const readPage = (): Promise<string> => {
  page ??= openTestDocket('sqlite').then(
    async ({ server }) => (await server.inject({ url: '/docs' })).body,
  )
  return page
}

const readSamples = async (language: string): Promise<PageSample[]> =>
  readPageSamples(await readPage(), language)

interface Reader {
  directory: string
  env: Record<string, string>
}

/** A data directory with only a new demo workspace. Each language gets a copy of it. */
let demo: Promise<{ dataDir: string; api_key: string }> | undefined

async function createDemo() {
  const { storage, config } = await openFreshDocket('sqlite')
  await createDemoWorkspace(storage, { plan: 'free', timezone: 'UTC' })
  const { api_key } = (await createDemoCredentials(storage)) ?? assert.fail()
  return { dataDir: config.dataDir, api_key }
}

/** Somebody who follows the reference, with a Docket that has only a new demo workspace. */
async function createReader(): Promise<Reader> {
  demo ??= createDemo()
  const { dataDir, api_key } = await demo
  const copy = createMemoryTempDir()
  cpSync(dataDir, copy, { recursive: true })
  const { server } = await openFreshDocket('sqlite', { DOCKET_DATA_DIR: copy })
  const url = `http://127.0.0.1:${await listenOnPort(server)}`
  return { directory: createTempDir(), env: { DOCKET_URL: url, DOCKET_KEY: api_key } }
}

test('every operation has a place on the page and a sample', async () => {
  const samples = await readSamples('curl')
  assert.deepEqual(
    samples.map(({ operationId }) => operationId),
    OPERATION_ORDER,
  )
})

test('the curl samples work when the page is pasted into a shell from top to bottom', async () => {
  const { directory, env } = await createReader()
  const samples = await readSamples('curl')
  const statusFile = join(directory, 'statuses')
  const setUp = readSetUp(await readPage())
    .replace(/DOCKET_URL="[^"]+"/, `DOCKET_URL="${env.DOCKET_URL}"`)
    .replace('dkt_…', `${env.DOCKET_KEY}`)
  const curl = `curl() { command curl -sS -w '%{stderr}%{http_code}\\n' "$@" 2>> '${statusFile}'; }`
  const script = [`cd '${directory}'`, curl, setUp, ...samples.map(({ text }) => text)].join('\n')
  await execScript('sh', ['-c', script], {})
  const statuses = readFileSync(statusFile, 'utf8').trim().split('\n').map(Number)
  assert.deepEqual(
    samples.map(({ operationId }, at) => `${operationId} ${statuses[at]}`),
    samples.map(({ operationId, status }) => `${operationId} ${status}`),
  )
})

test('the TypeScript samples work one after another', async () => {
  const command = [process.execPath, '--input-type=module', '-e', SAMPLE_DRIVERS.typescript]
  await runFiles('typescript', 'ts', command)
})

test('the Python samples work one after another', async (t) => {
  if (isMissing(t, 'python3')) return
  await runFiles('python', 'py', ['python3', '-c', SAMPLE_DRIVERS.python])
})

test('the Go samples are formatted, compile and work one after another', async (t) => {
  if (isMissing(t, 'go')) return
  const { directory, env } = await createReader()
  const samples = await readSamples('go')
  const program = buildGoSamples(samples, directory)
  const variables = { ...env }
  const outputs: string[] = []
  for (const { operationId, stores } of samples) {
    const printed = await execScript(program, [operationId], variables)
    outputs.push(printed)
    if (stores) variables[stores.name] = findId(printed, stores.prefix)
  }
  assertStatuses(samples, outputs)
})

/** Runs the samples as files, by a driver of their language. */
async function runFiles(language: string, extension: string, command: string[]): Promise<void> {
  const { directory, env } = await createReader()
  const samples = await readSamples(language)
  const files = samples.map(({ operationId, text, stores }) => {
    const file = join(directory, `${operationId}.${extension}`)
    writeFileSync(file, text)
    return { file, ...(stores && { prefix: stores.prefix, variable: stores.name }) }
  })
  const list = join(directory, 'samples.json')
  writeFileSync(list, JSON.stringify(files))
  const printed = await execScript('sh', ['-c', `"$@" < '${list}'`, 'sh', ...command], env)
  assertStatuses(samples, printed.split('\0'))
}

function findId(printed: string, prefix: string): string {
  const [id] = RegExp(`${prefix}_[0-9a-z]{26}`).exec(printed) ?? []
  assert.ok(id, `no ${prefix}_ id in ${printed}`)
  return id
}

/** Each sample prints the status and the reply. */
function assertStatuses(samples: readonly PageSample[], outputs: readonly string[]): void {
  assert.ok(samples.length > 40)
  for (const [at, { operationId, status, text }] of samples.entries()) {
    const printed = outputs[at] ?? ''
    assert.equal(Number.parseInt(printed, 10), status, `${operationId}\n${text}\n${printed}`)
  }
}

function isMissing(t: TestContext, command: string): boolean {
  const isFound = !spawnSync(command, ['--version']).error
  if (!isFound) t.diagnostic(`nothing on this machine runs ${command}`)
  return !isFound
}

/**
 * Programs that run the samples of a language in one process, because starting one for each takes
 * most of the time. They read a list of `{ file, prefix, variable }` from stdin, and print what each
 * sample prints, followed by a NUL. From that they set the variable of later samples.
 */
const SAMPLE_DRIVERS = {
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

/**
 * Builds all Go samples as one program, which runs the one that its argument names: linking each
 * would take a minute. Every sample must be as gofmt formats it.
 */
function buildGoSamples(samples: readonly PageSample[], directory: string): string {
  const packages = new Set(['os'])
  const functions = samples.map(({ operationId, text }) => {
    const [, imports = '', body = ''] =
      /^package main\n\nimport \(\n([^)]*)\)\n\nfunc main\(\) \{\n([\s\S]*)\}$/.exec(text) ?? []
    for (const [, name = ''] of imports.matchAll(/"(.+)"/g)) packages.add(name)
    // A sample alone does not compile if it imports what it does not use.
    for (const [, name = ''] of imports.matchAll(/(\w+)"\n/g)) {
      if (!body.includes(`${name}.`)) throw new Error(`${operationId} does not use ${name}`)
    }
    return `func ${operationId}() {\n${body}}\n`
  })
  const cases = samples.map(({ operationId }) => `\tcase "${operationId}":\n\t\t${operationId}()\n`)
  const file = join(directory, 'samples.go')
  const imports = [...packages].sort().map((name) => `\t"${name}"\n`)
  writeFileSync(
    file,
    `package main\n\nimport (\n${imports.join('')})\n\nfunc main() {\n\tswitch os.Args[1] {\n${cases.join('')}\t}\n}\n\n${functions.join('\n')}`,
  )
  const unformatted = execFileSync('gofmt', ['-d', file], { encoding: 'utf8' })
  if (unformatted !== '') throw new Error(`gofmt would change samples:\n${unformatted}`)
  const program = join(directory, 'samples')
  // Without symbols for debuggers, so that the linker has less to write.
  const words = ['build', '-ldflags=-s -w', '-o', program, file]
  execFileSync('go', words, { env: GO_ENV, stdio: 'pipe' })
  return program
}
