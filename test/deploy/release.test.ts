import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { MIGRATIONS } from '#db/migrate/migrations.ts'
import { loadAllCommands } from '../../src/cli/commands/command-groups.ts'
import { collectRelease, listCopiedFiles, type Release } from '../../tools/release/release-files.ts'
import { createTar, type ReleaseFile } from '../../tools/release/tar.ts'
import { atEnd, createEmptyDatabase } from '../support/engines/test-database.ts'
import { tcpUrlOf } from '../support/postgres/embedded-postgres.ts'
import { isServerReady } from '../support/server/server-process.ts'
import { findFreePort } from '../support/system/free-port.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { TEST_PASSWORD } from '../support/world/test-password.ts'
import { TEST_COMMIT, unpackRelease } from './unpacked-release.ts'

const unpacked = await unpackRelease()
const { version, ...manifest } = JSON.parse(readFileSync('package.json', 'utf8'))

const textOf = ({ files }: Release, path: string): string => {
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
  assert.equal(existsSync(join(backups, backup, 'docket.db')), true)

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
  for (const name of ['CHANGELOG.md', 'LICENSE', 'SECURITY.md', 'docs', 'examples', 'src', 'web'])
    symlinkSync(resolve(name), join(root, name))
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
  assert.ok(commands.size > 20)
  const known = (await loadAllCommands()).map(({ name }) => name)
  for (const words of commands) {
    assert.ok(
      known.some((name) => words === name || words.startsWith(`${name} `)),
      `docket ${words}`,
    )
  }
})

test('README of a release names the data folder in every command', () => {
  const text = readFileSync(join(unpacked.directory, 'README.md'), 'utf8')
  const commands = text.split('\n').filter((line) => /^(?!curl).*\bbin\/docket/.test(line))
  assert.ok(commands.length >= 3)
  for (const command of commands) assert.match(command, /^DOCKET_DATA_DIR=~\/docket-data bin\//)
})

test('the name of a release says its version and its commit', () => {
  assert.equal(unpacked.release.name, `docket-${version}-${TEST_COMMIT.slice(0, 8)}`)
  assert.equal(basename(unpacked.directory), unpacked.release.name)
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
