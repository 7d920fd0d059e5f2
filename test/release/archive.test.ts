import assert from 'node:assert/strict'
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { MIGRATIONS } from '#db/migrate/migrations.ts'
import { loadAllCommands } from '../../src/cli/commands/command-groups.ts'
import { collectRelease, listCopiedFiles, type Release } from '../../tools/release/release-files.ts'
import { createTar, type ReleaseFile } from '../../tools/release/tar.ts'
import { atEnd, createEmptyDatabase } from '../support/engines/test-database.ts'
import { NEXT_MIGRATIONS } from '../support/migrations/next-release-migrations.ts'
import { tcpUrlOf } from '../support/postgres/embedded-postgres.ts'
import { isServerReady } from '../support/server/server-process.ts'
import { findFreePort } from '../support/system/free-port.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { TEST_PASSWORD } from '../support/world/test-password.ts'
import { TEST_COMMIT, unpackRelease } from './unpacked-release.ts'

const unpacked = await unpackRelease()
const { version, ...manifest } = JSON.parse(readFileSync('package.json', 'utf8'))

const textOf = ({ files }: Pick<Release, 'files'>, path: string): string => {
  const content = files.find((file) => file.path === path)?.content
  return content && 'text' in content ? content.text : assert.fail(path)
}

/** Far longer than a busy machine overloads the server. */
const OVERLOAD_TIMEOUT_MS = 60_000

/** Does what an overloaded server asks for: on a busy machine this one may be overloaded, too. */
async function fetchPatiently(url: string, init?: RequestInit): Promise<Response> {
  for (const end = performance.now() + OVERLOAD_TIMEOUT_MS; ; ) {
    const response = await fetch(url, init)
    if (response.status !== 503 || performance.now() > end) return response
    await response.body?.cancel()
    await pause(Number(response.headers.get('retry-after')) * 1_000)
  }
}

test('a release runs for a user without Node who may write only to the data directory', async () => {
  const dataDir = unpacked.createWritableDir()
  const port = String(await findFreePort())
  const env = { DOCKET_DATA_DIR: dataDir, DOCKET_PORT: port, DOCKET_DEMO: '0' }
  const server = unpacked.start({ ...env, DOCKET_LOG_LEVEL: 'silent' })
  atEnd(() => server.kill('SIGKILL'))
  let errors = ''
  server.stderr?.on('data', (chunk) => {
    errors += chunk
  })
  for (const began = Date.now(); !(await isServerReady(Number(port))); await pause(50)) {
    assert.equal(server.exitCode, null, errors)
    assert.ok(Date.now() - began < 60_000, errors)
  }
  const url = `http://127.0.0.1:${port}`
  for (const path of ['/sign-in', '/docs/guides/quickstart', '/api/v1/openapi.json', '/healthz'])
    assert.equal((await fetchPatiently(url + path)).status, 200, path)
  const page = await (await fetchPatiently(`${url}/sign-in`)).text()
  const [, script = assert.fail()] = /src="(\/app\/assets\/[^"]+\.js)"/.exec(page) ?? []
  assert.equal((await fetchPatiently(url + script)).status, 200)

  const send = async (path: string, headers: Record<string, string>, body: object) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } }
    const response = await fetchPatiently(url + path, { ...init, body: JSON.stringify(body) })
    assert.equal(response.status, 201, path)
    return response.json()
  }
  const { user, workspace } = await send(
    '/internal/signup',
    { origin: url },
    {
      email: 'ada@example.com',
      password: TEST_PASSWORD,
      name: 'Ada',
      workspace_name: 'Analytics',
      timezone: 'Europe/London',
    },
  )
  const { api_key } = await unpacked.runJson(
    env,
    'key',
    'create',
    '--workspace',
    workspace.id,
    '--user',
    user.id,
    '--scopes',
    'full',
  )
  const named = ['--name', 'Engine', '--prefix', 'ENG']
  const project = await unpacked.runJson(
    env,
    'project',
    'create',
    '--workspace',
    workspace.id,
    ...named,
  )
  const authorization = `Bearer ${api_key}`
  await send('/api/v1/tasks', { authorization }, { project_id: project.id, title: 'Run' })
  // By a process that copies the database in a thread; both are started by their file names.
  const backups = unpacked.createWritableDir()
  const { backup = '' } = await unpacked.runJson({ ...env, DOCKET_BACKUP_TO: backups }, 'backup')
  assert.equal(existsSync(join(backup, 'docket.db')), true)

  const metrics = await (await fetchPatiently(`${url}/metrics`)).text()
  const build = `version="${version}",commit="${TEST_COMMIT}",schema="${MIGRATIONS.length}"`
  assert.ok(metrics.includes(`docket_build_info{${build},node="${process.version}"`), 'metric')
  assert.deepEqual(await unpacked.runJson({}, '--version'), {
    version,
    commit: TEST_COMMIT,
    schema: MIGRATIONS.length,
    node: process.version,
  })
  checkHealthLikeImage(port)
  server.kill('SIGTERM')
  assert.deepEqual(await once(server, 'exit'), [0, null], errors)
  assert.throws(() => checkHealthLikeImage(port), 'a server that is stopped')

  const sums = readFileSync(join(unpacked.directory, 'SHA256SUMS'), 'utf8')
  const entries = readdirSync(unpacked.directory, { recursive: true, withFileTypes: true })
  const present = entries.filter((entry) => entry.isFile()).length
  assert.equal(present, sums.split('\n').length, 'the server writes nothing beside the program')
})

/** Runs the health check of deploy/Dockerfile, which fails with another exit code than 0. */
function checkHealthLikeImage(port: string): void {
  const dockerfile = readFileSync('deploy/Dockerfile', 'utf8')
  const [, command = ''] = /^HEALTHCHECK [^[]*(\[.*\])$/m.exec(dockerfile) ?? []
  const [program, ...words]: string[] = JSON.parse(command)
  execFileSync(program ?? '', words, { env: { DOCKET_PORT: port }, stdio: 'ignore' })
}

/** The PATH of somebody who has npm: without the pinned Node of this repository. */
const READER_PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((place) => !place.includes('node_modules'))
  .join(delimiter)

/** An empty folder in which the npm package is installed and started. */
function createNpmFolder() {
  const folder = createTempDir()
  // Removed before the test run ends, because Node takes 200 MB.
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  // npm tells what it starts where it runs itself: for another npm, these settings would be its own.
  const own = Object.entries(process.env).filter(
    ([name]) => !/^npm_(?!config_(cache|registry|userconfig)$)/.test(name),
  )
  const env = { ...Object.fromEntries(own), PATH: READER_PATH }
  return {
    /**
     * Node comes from the registry, if not from the cache that `npm ci` has filled. Without a prefix, npm
     * would install into a folder further up if that is a project.
     */
    install: (npmPackage: string) =>
      promisify(execFile)(
        'npm',
        ['install', '--prefix', '.', '--prefer-offline', '--no-audit', '--no-fund', npmPackage],
        { cwd: folder, env },
      ),
    /** Starts a server and waits until it is ready or has ended. */
    async start(program: string, words: string[], settings: Record<string, string>) {
      const server = spawn(program, words, {
        cwd: folder,
        env: { ...settings, DOCKET_LOG_LEVEL: 'silent' },
        // With a group of its own, because npx may end before the server that it has started.
        detached: true,
      })
      atEnd(() => killGroup(server))
      let output = ''
      for (const stream of [server.stdout, server.stderr])
        stream.on('data', (chunk) => {
          output += chunk
        })
      const ended = once(server, 'exit')
      const port = Number(settings.DOCKET_PORT)
      for (const end = performance.now() + 60_000; !(await isServerReady(port)); await pause(50)) {
        if (server.exitCode !== null) break
        assert.ok(performance.now() < end, output)
      }
      return { server, ended, readOutput: () => output }
    },
    folder,
    env,
  }
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch (error) {
    const hasEnded = error instanceof Error && 'code' in error && error.code === 'ESRCH'
    if (!hasEnded) throw error
  }
}

/** The npm package of a fictional next release, on whose schema this one cannot run. */
async function createNextNpmPackage(): Promise<string> {
  const added = [
    ...NEXT_MIGRATIONS,
    { name: 'next-4', contracts: 'next-4', sql: 'drop index tasks_effort;' },
  ]
  let changed = 0
  const files = unpacked.release.npmFiles.map((file): ReleaseFile => {
    const { path, content } = file
    if (!('text' in content)) return file
    if (path === 'package.json')
      return { ...file, content: { text: content.text.replace(`"${version}"`, '"99.0.0"') } }
    const text = content.text.replace(/^const MIGRATIONS = \[\n[\s\S]*?^\];$/m, (migrations) => {
      changed += 1
      return `${migrations}\nMIGRATIONS.push(...${JSON.stringify(added)})`
    })
    return { ...file, content: { text } }
  })
  assert.ok(changed > 0, 'no migrations were found')
  const npmPackage = join(createTempDir(), 'next.tgz')
  writeFileSync(
    npmPackage,
    gzipSync(Buffer.concat(await Array.fromAsync(createTar('package', files)))),
  )
  return npmPackage
}

test('the npm package starts in an empty folder, keeps what it acknowledged, and is upgraded in place', async () => {
  const { folder, env, install, start } = createNpmFolder()
  await install(unpacked.npmPackage)
  const program = join(folder, 'node_modules/.bin/docket-server')
  const port = String(await findFreePort())
  const settings = { PATH: unpacked.path, DOCKET_PORT: port }
  const first = await start(program, [], settings)
  // The credentials are printed once it is ready.
  const findKey = () => /API key +(dkt_\w+)/.exec(first.readOutput())?.[1]
  await waitUntil(first.readOutput, findKey)
  assert.ok(first.readOutput().includes(`SQLite in ${join(folder, 'data/docket.db')}`))
  const api = `http://127.0.0.1:${port}/api/v1`
  const headers = { authorization: `Bearer ${findKey()}`, 'content-type': 'application/json' }
  const projects = await (await fetchPatiently(`${api}/projects`, { headers })).json()
  const created = await fetchPatiently(`${api}/tasks`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ project_id: projects.data[0].id, title: 'Kept' }),
  })
  assert.equal(created.status, 201)
  const task = await created.json()
  for (const name of ['docket-client', 'docket-cli', 'docket-conformance']) {
    const file = `${name}-${version}.tgz`
    const offered = await fetchPatiently(`http://127.0.0.1:${port}/docs/packages/${file}`)
    const made = readFileSync(join(dirname(unpacked.npmPackage), file))
    assert.ok(made.equals(Buffer.from(await offered.arrayBuffer())), file)
  }
  first.server.kill('SIGKILL')
  await first.ended
  const readTask = async () => {
    const reply = await fetchPatiently(`${api}/tasks/${task.id}`, { headers })
    assert.equal(reply.status, 200)
    return reply.json()
  }

  const second = await start(program, [], settings)
  assert.deepEqual(await readTask(), task)
  second.server.kill('SIGTERM')
  assert.deepEqual(await second.ended, [0, null], second.readOutput())
  const run = async (...words: string[]) =>
    JSON.parse((await promisify(execFile)('npx', words, { cwd: folder, env })).stdout)
  const build = { version, commit: TEST_COMMIT, schema: MIGRATIONS.length, node: process.version }
  assert.deepEqual(await run('docket-server', '--version', '--json'), build)
  const { data } = await run('docket-server', 'workspace', 'list', '--json')
  assert.equal(data.length, 1, 'of the folder in which the server has started')

  await install(await createNextNpmPackage())
  const upgraded = await start('npx', ['docket-server'], { ...env, DOCKET_PORT: port })
  assert.match(upgraded.readOutput(), /^Migrated to schema version \d+ in .*: next-1-effort, /m)
  assert.deepEqual(await readTask(), task)
  assert.equal(existsSync(join(folder, `data/docket.db.v${MIGRATIONS.length}`)), true)
  upgraded.server.kill('SIGTERM')
  await upgraded.ended
  await waitUntil('the server has stopped, too', () =>
    /^Docket stopped /m.test(upgraded.readOutput()),
  )
})

test('a release runs on PostgreSQL, and every file of its bundle loads', async () => {
  const { url } = await createEmptyDatabase()
  const dataDir = unpacked.createWritableDir()
  const env = { DOCKET_DATA_DIR: dataDir, DOCKET_DATABASE_URL: tcpUrlOf(url).href }
  const owner = ['--owner-email', 'ada@example.com', '--owner-name', 'Ada']
  const created = await unpacked.runJson(env, 'workspace', 'create', '--name', 'A', ...owner)
  assert.match(created.api_key ?? '', /^dkt_/)
  // Some load only with a setting, such as tracing. Entries are left out: they start to work, and the
  // server would listen on port 4000 and write into this repository.
  const folder = join(unpacked.directory, 'server')
  const chunks = readdirSync(folder).filter((name) => /^(?!main-).*-[\w-]{8}\.js$/.test(name))
  assert.ok(chunks.length > 50)
  const script = chunks.map((name) => `import ${JSON.stringify(join(folder, name))}\n`).join('')
  const words = ['--input-type=module', '--eval', `${script}process.exit(0)`]
  execFileSync(join(unpacked.directory, 'runtime/node'), words, { env: {}, stdio: 'pipe' })
})

test('a release has every file that its bundle starts by name', () => {
  const code = unpacked.release.files.filter(({ path }) => path.startsWith('server/'))
  const started = code.flatMap(({ path }) =>
    [...textOf(unpacked.release, path).matchAll(/new URL\(['"](\.\/[^'"]*)/g)].map(
      ([, name = '']) => name,
    ),
  )
  assert.ok(started.length > 3, String(started))
  for (const name of started) assert.ok(existsSync(join(unpacked.directory, 'server', name)), name)
})

test('a release has no settings and no secrets of an installation in the same folder', () => {
  const root = createTempDir()
  const linked = ['CHANGELOG.md', 'LICENSE', 'SECURITY.md', 'docs', 'examples', 'packages']
  for (const name of [...linked, 'src', 'web']) symlinkSync(resolve(name), join(root, name))
  // Not those that an installation in this repository itself may have.
  const filter = (path: string) => !['deploy/.env', 'deploy/secrets'].includes(path)
  cpSync('deploy', join(root, 'deploy'), { recursive: true, filter })
  mkdirSync(join(root, 'deploy/secrets'))
  const secrets = ['deploy/.env', 'deploy/secrets/docket_secret']
  for (const path of secrets) writeFileSync(join(root, path), 'DOCKET_SECRET')
  const released = listCopiedFiles(root)
  assert.ok(released.includes('deploy/systemd/docket.service'))
  assert.deepEqual(new Set(released).intersection(new Set(secrets)), new Set())
})

test('all links and commands in the documents of a release work there', async () => {
  const documents = globSync('**/*.md', { cwd: unpacked.directory })
  assert.ok(documents.includes('README.md') && documents.length > 30)
  const commands = new Set<string>()
  for (const document of documents) {
    const text = readFileSync(join(unpacked.directory, document), 'utf8')
    for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^(?:[a-z]+:|\/|#)/.test(target)) continue
      const path = join(unpacked.directory, dirname(document), target.replace(/#.*$/, ''))
      assert.ok(existsSync(path), `${document} links to ${target}`)
    }
    assert.doesNotMatch(text, /releases\.example/, document)
    const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code)
    for (const code of blocks) {
      assert.doesNotMatch(code, /\bnpm (?:run|start)\b|\bnpx node\b/, document)
      for (const [program] of code.matchAll(/\b(?:bin|runtime)\/[a-z-]+/g))
        assert.ok(existsSync(join(unpacked.directory, program)), `${document}: ${program}`)
      for (const [example] of code.matchAll(/\bexamples\/[\w/.-]+/g))
        assert.ok(existsSync(join(unpacked.directory, example)), `${document}: ${example}`)
    }
    for (const [, words = ''] of text.matchAll(/bin\/docket ((?:[a-z][a-z-]* ?)+)/g))
      commands.add(words.trim())
  }
  assert.ok(commands.size > 10, `only ${[...commands].join(', ')}`)
  const known = (await loadAllCommands()).map(({ name }) => name)
  for (const words of commands) {
    assert.ok(
      known.some((name) => words === name || words.startsWith(`${name} `)),
      `docket ${words}`,
    )
  }
})

test('the signature of the checksums is verified as the documents say', () => {
  const documented = readFileSync('docs/upgrades.md', 'utf8')
  const verification = documented.split('\n').find((line) => line.startsWith('openssl pkeyutl'))
  const verify = (name: string) => {
    const command = (verification ?? assert.fail('docs/upgrades.md'))
      .replaceAll(/docket-1\.1\.0-\w+/g, name)
      .replace('docket-release.pub', unpacked.publicKey)
    return execFileSync('sh', ['-c', command], { encoding: 'utf8', stdio: 'pipe' })
  }
  assert.match(verify(unpacked.archive), /Verified Successfully/)
  const forged = join(createTempDir(), 'docket-forged')
  const sums = readFileSync(`${unpacked.archive}.sha256`, 'utf8')
  writeFileSync(
    `${forged}.sha256`,
    sums.replace(/^./, (digit) => (digit === '0' ? '1' : '0')),
  )
  copyFileSync(`${unpacked.archive}.sha256.sig`, `${forged}.sha256.sig`)
  assert.throws(() => verify(forged), /Command failed/)
})

test('the same commit gives the same bytes', async () => {
  const again = await collectRelease(process.cwd(), TEST_COMMIT)
  assert.equal(textOf(again, 'SHA256SUMS'), textOf(unpacked.release, 'SHA256SUMS'))
  const files = again.files.filter(({ content }) => 'text' in content)
  assert.ok(files.length > 50)
  const archive = (entries: readonly ReleaseFile[]) => Array.fromAsync(createTar('docket', entries))
  const bytes = Buffer.concat(await archive(files))
  assert.ok(bytes.equals(Buffer.concat(await archive(files.toReversed()))))
  const traces = files.filter(({ path }) => textOf(again, path).includes(process.cwd()))
  assert.deepEqual(traces, [], 'no file names the directory that it was made in')
})

test('the bill of materials lists production packages, and nothing that builds or tests', () => {
  const { components, dependencies } = JSON.parse(textOf(unpacked.release, 'sbom.cdx.json')) as {
    components: { 'bom-ref': string; group?: string; name: string; version: string; purl: string }[]
    dependencies: { ref: string; dependsOn: string[] }[]
  }
  const names = components.map(({ group, name }) => (group ? `${group}/${name}` : name))
  const expected = Object.keys(manifest.dependencies).filter(
    (name) => !['vite', '@vitejs/plugin-react'].includes(name),
  )
  assert.deepEqual(
    expected.filter((name) => !names.includes(name)),
    [],
  )
  assert.ok(names.some((name) => name.startsWith('node-')))
  for (const name of ['vite', 'rolldown', '@vitejs/plugin-react', 'typescript', 'playwright-core'])
    assert.equal(names.includes(name), false, name)
  const code = unpacked.release.files.filter(({ path }) => path.startsWith('server/'))
  const bundled = code.flatMap(({ path }) => {
    const regions = textOf(unpacked.release, path).matchAll(
      /^\s*\/\/ .*\bnode_modules\/((?:@[^/]+\/)?[^/\s]+)/gm,
    )
    return [...regions].map(([, name = '']) => name)
  })
  assert.ok(bundled.includes('fastify'))
  assert.deepEqual(new Set(bundled).difference(new Set(names)), new Set())
  const references = new Set(components.map((component) => component['bom-ref']))
  assert.equal(references.size, components.length)
  const linked = dependencies.flatMap(({ dependsOn }) => dependsOn)
  assert.deepEqual(
    linked.filter((reference) => !references.has(reference)),
    [],
  )
})
