import assert from 'node:assert/strict'
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { atEnd } from '#test/support/engines/test-database.ts'
import { endServer, seedDataDir, startServer } from '#test/support/server/server-process.ts'
import { findFreePort } from '#test/support/system/free-port.ts'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import { readProgramTexts } from '../webhook-programs/documented-programs.ts'
import { listOperationPatterns, startObservingProxy } from './observing-proxy.ts'

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

/** A server behind the observing proxy, with a workspace for each of several programs. */
async function startTarget() {
  const receiver = createServer((request, reply) => {
    request.resume().on('end', () => reply.writeHead(204).end())
  }).listen(0, '127.0.0.1')
  atEnd(() => receiver.close())
  await once(receiver, 'listening')
  const address = receiver.address()
  const dataDir = createTempDir()
  const port = await findFreePort()
  const proxy = await startObservingProxy(`http://127.0.0.1:${port}`)
  atEnd(proxy.stop)
  const env = { DOCKET_BASE_URL: proxy.url }
  const workspaces = [await seedDataDir(dataDir, env), await seedDataDir(dataDir, env)]
  const server = await startServer(dataDir, { env, port })
  atEnd(() => endServer(server, 'SIGTERM'))
  const document = await (await fetch(`${proxy.url}/api/v1/openapi.json`)).json()
  proxy.observe(document)
  const environments = workspaces.map(({ keys, project }) => ({
    DOCKET_URL: proxy.url,
    DOCKET_KEY: keys.owner,
    DOCKET_PROJECT: project,
    DOCKET_RECEIVER: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/hook`,
  }))
  return { proxy, document, environments }
}

if (spawnSync('python3', ['--version']).error === undefined) {
  test('a client in Python is generated without warnings, and calls every operation, also of a later version', async () => {
    installTools()
    const { proxy, document, environments } = await startTarget()
    const folder = createTempDir()
    cpSync(join(import.meta.dirname, 'program'), folder, { recursive: true })
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document))
    const sample = readProgramTexts(GUIDE).find(({ name }) => name === 'tasks.py')
    const text = sample?.text.replaceAll('{{base_url}}', proxy.url)
    writeFileSync(join(folder, 'tasks.py'), text ?? assert.fail(`${GUIDE} has no tasks.py`))
    const runTool = (program: string, words: readonly string[], env = {}) =>
      run(join(TOOLS, 'bin', program), words, {
        cwd: folder,
        env: { ...process.env, ...env },
        timeout: TIMEOUT_MS,
      })
    const options = ['--path', 'openapi.json', '--meta', 'none', '--output-path', 'docket_client']
    const config = ['--config', 'openapi-python-client.yaml']
    const generated = await runTool('openapi-python-client', ['generate', ...options, ...config])
    assert.doesNotMatch(generated.stdout + generated.stderr, /^(?:WARNING|ERROR)/m)
    await runTool('mypy', ['--strict', 'story.py', 'tasks.py', 'docket_client'])
    const all = listOperationPatterns(document).map(({ operation }) => operation.operationId)
    for (const [at, env] of environments.entries()) {
      // The second time, replies have what a later version may add.
      proxy.setGrowing(at === 1)
      await runTool('python', ['story.py'], env)
      // The sample of the guide prints the task that the program leaves behind.
      assert.match((await runTool('python', ['tasks.py'], env)).stdout, /ENG-1 Ship it/)
      const { operations, refused } = proxy.takeObservations()
      assert.deepEqual(refused, [])
      assert.deepEqual(
        all.filter((id) => !operations.has(id)),
        [],
      )
    }
  })
}
