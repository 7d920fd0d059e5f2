import assert from 'node:assert/strict'
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startDocketForClients } from '#test/cli-client/client-machine.ts'
import { startLiveDocket } from '#test/support/server/live-docket.ts'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import * as client from '../../sdk/src/index.ts'

const ROOT = join(import.meta.dirname, '../..')
const SDK = join(ROOT, 'sdk')
const GUIDE = join(ROOT, 'docs/guides/clients.md')

test('the package docket-client is one that every kind of program can import, on the Node of the system too', async () => {
  const dir = createTempDir()
  const pack = ['pack', '--pack-destination', dir, '--json']
  const [packed] = JSON.parse(execFileSync('npm', pack, { cwd: SDK, encoding: 'utf8' }))
  const tarball = join(dir, packed.filename)
  const files: string[] = packed.files.map(({ path }: { path: string }) => path)
  assert.deepEqual(
    files.filter(
      (path) => !/^(dist\/[\w-]+\.(js|d\.ts)|LICENSE|README\.md|package\.json)$/.test(path),
    ),
    [],
  )
  const run = (command: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(join(ROOT, 'node_modules/.bin', command), args, {
      encoding: 'utf8',
      env: { ...process.env, FORCE_COLOR: '0' },
    })
    assert.equal(status, 0, stdout + stderr)
  }
  run('publint', 'run', tarball, '--strict')
  run('attw', tarball, '--profile', 'esm-only')

  const app = join(dir, 'app')
  mkdirSync(app)
  writeFileSync(join(app, 'package.json'), '{"type":"module"}')
  execFileSync('npm', ['install', '--offline', '--no-audit', tarball], {
    cwd: app,
    stdio: 'ignore',
  })
  const { baseUrl, key } = await startDocket()
  const [, program = ''] =
    /```ts\n\/\/ tasks\.ts\n([^`]+)```/.exec(readFileSync(GUIDE, 'utf8')) ?? []
  writeFileSync(join(app, 'tasks.js'), program.replaceAll('{{base_url}}', baseUrl))
  const env = { ...process.env, DOCKET_KEY: key }
  for (const node of new Set([process.execPath, findSystemNode() ?? process.execPath])) {
    const { stdout } = await promisify(execFile)(node, ['tasks.js'], { cwd: app, env })
    assert.equal(stdout, 'ENG-1 Urgent matter\n', node)
  }
})

/** A Docket with one task that the guide's program lists. */
async function startDocket() {
  const { server, team } = await startLiveDocket('sqlite')
  const address = server.server.address()
  const baseUrl = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  const key = team.keys.owner
  const docket = new client.Docket({ baseUrl, token: key })
  await client.createTask(docket, {
    project_id: team.project,
    title: 'Urgent matter',
    priority: 'urgent',
    assignee_ids: [team.people.owner],
  })
  return { baseUrl, key }
}

/** The Node that is installed, which is often older than that of the lockfile. */
const findSystemNode = () =>
  ['/usr/bin/node', '/usr/local/bin/node'].find((path) => existsSync(path))

test('the package docket-conformance is JavaScript that runs without the repository', () => {
  const outDir = createTempDir()
  const pack = ['pack', '--json', '--pack-destination', outDir]
  execFileSync('npm', pack, { cwd: 'conformance', stdio: 'pipe' })
  const [tarball = ''] = globSync('*.tgz', { cwd: outDir })
  execFileSync('tar', ['-xzf', tarball], { cwd: outDir })
  const dist = join(outDir, 'package/dist')
  const main = readFileSync(join(dist, 'main.js'), 'utf8')
  assert.match(main, /^#!\/usr\/bin\/env node\n/)
  assert.doesNotMatch(main, /\.ts'/)
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(dist, 'main.js'), 'receiver', 'http://127.0.0.1:1', '--secret', 'whsec_x'],
    { encoding: 'utf8', cwd: outDir },
  )
  assert.deepEqual([status, stderr], [3, 'connect ECONNREFUSED 127.0.0.1:1\n'])
})

test('the packages have the version of Docket', () => {
  const [root, ...versions] = ['', 'sdk', 'cli', 'conformance'].map(
    (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version,
  )
  assert.deepEqual(versions, [root, root, root])
})

test('the package docket-cli is one file that runs on the oldest Node, too', async () => {
  const { owner, url } = await startDocketForClients()
  const pack = ['pack', '--json', '--pack-destination', owner.home]
  const packed = execFileSync('npm', pack, { cwd: resolve('cli'), encoding: 'utf8' })
  // Before it comes what the bundler prints.
  const [{ filename, files }]: [{ filename: string; files: { path: string }[] }] = JSON.parse(
    packed.slice(packed.indexOf('[\n')),
  )
  const paths = files.map(({ path }) => path).sort()
  assert.deepEqual(paths, ['LICENSE', 'README.md', 'dist/docket.js', 'package.json'])
  const app = join(owner.home, 'app')
  mkdirSync(app)
  const install = [
    'install',
    '--offline',
    '--no-audit',
    '--prefix',
    app,
    join(owner.home, filename),
  ]
  execFileSync('npm', install, { cwd: app, stdio: 'ignore' })
  const command = join(app, 'node_modules/.bin/docket')
  assert.match(readFileSync(command, 'utf8'), /^#!\/usr\/bin\/env node\n/)
  const nodes = [process.execPath, '/usr/bin/node', '/usr/local/bin/node'].filter(existsSync)
  for (const node of nodes) {
    const options = { cwd: owner.home, env: owner.env }
    const { stdout } = await promisify(execFile)(node, [command, 'whoami', '--json'], options)
    assert.equal(JSON.parse(stdout).data.url, url, node)
  }
  assert.equal(spawnSync(command, ['--version'], { encoding: 'utf8' }).stdout, 'docket 1.0.0\n')
})
