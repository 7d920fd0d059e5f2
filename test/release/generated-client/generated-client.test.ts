import assert from 'node:assert/strict'
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startLiveDocket } from '#test/support/server/live-docket.ts'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import { readProgramTexts } from '../webhook-programs/documented-programs.ts'

/**
 * The generator that costs least and finds most of those in docs/guides/clients.md: its client reads
 * each field of a reply by the type that the document gives it. mypy then checks all of the client.
 */
const PACKAGES = ['openapi-python-client==0.29.1', 'mypy==2.4.1']
/** Kept between runs, inside of node_modules, which git ignores. */
const TOOLS = resolve('node_modules/.cache/generated-client', PACKAGES.join('+'))
const GUIDE = 'docs/guides/clients.md'
const TIMEOUT_MS = 10 * 60_000

const run = promisify(execFile)

function installTools(): void {
  if (existsSync(join(TOOLS, 'installed'))) return
  mkdirSync(TOOLS, { recursive: true })
  const options = { cwd: TOOLS, stdio: 'pipe', timeout: TIMEOUT_MS } as const
  execFileSync('python3', ['-m', 'venv', '.'], options)
  execFileSync('bin/pip', ['install', '--disable-pip-version-check', ...PACKAGES], options)
  writeFileSync(join(TOOLS, 'installed'), '')
}

if (spawnSync('python3', ['--version']).error === undefined) {
  test('a client in Python is generated without warnings, fits its types and reads replies', async () => {
    installTools()
    const { server, team } = await startLiveDocket('sqlite')
    const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`
    const folder = createTempDir()
    cpSync(join(import.meta.dirname, 'program'), folder, { recursive: true })
    const { body: document } = await server.inject('/api/v1/openapi.json')
    writeFileSync(join(folder, 'openapi.json'), document)
    const sample = readProgramTexts(GUIDE).find(({ name }) => name === 'tasks.py')
    const text = sample?.text.replaceAll('{{base_url}}', url)
    writeFileSync(join(folder, 'tasks.py'), text ?? assert.fail(`${GUIDE} has no tasks.py`))
    const env = { DOCKET_URL: url, DOCKET_KEY: team.keys.owner, DOCKET_PROJECT: team.project }
    const runTool = (program: string, ...words: string[]) =>
      run(join(TOOLS, 'bin', program), words, {
        cwd: folder,
        env: { ...process.env, ...env },
        timeout: TIMEOUT_MS,
      })
    const options = ['--path', 'openapi.json', '--meta', 'none', '--output-path', 'docket_client']
    const config = ['--config', 'openapi-python-client.yaml']
    const generated = await runTool('openapi-python-client', 'generate', ...options, ...config)
    assert.doesNotMatch(generated.stdout + generated.stderr, /^(?:WARNING|ERROR)/m)
    await runTool('mypy', '--strict', 'story.py', 'tasks.py', 'docket_client')
    await runTool('python', 'story.py')
    // The sample of the guide prints the task that the program leaves behind.
    assert.match((await runTool('python', 'tasks.py')).stdout, /ENG-1 Ship it/)
  })
}
