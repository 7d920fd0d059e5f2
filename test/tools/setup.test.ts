import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { collectOutput } from '../support/system/child-processes.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { waitUntil } from '../support/system/wait-until.ts'

/** Stands in for npm: writes when it begins and ends, and ends once the file `go` is there. */
const NPM = `
const { appendFileSync, existsSync, mkdirSync } = require('node:fs')
appendFileSync('log', 'begin ' + process.argv.at(-1) + '\\n')
mkdirSync('node_modules', { recursive: true })
while (existsSync('log') && !existsSync('go')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
appendFileSync('log', 'end\\n')
`

/** A fresh clone, in which `npm start` and `npm test` can be run up to the end of the install. */
function createClone() {
  const root = createTempDir()
  mkdirSync(join(root, 'tools'))
  for (const path of ['package-lock.json', 'tools/setup.cjs']) copyFileSync(path, join(root, path))
  const npm = join(root, 'npm.cjs')
  writeFileSync(npm, NPM)
  const lock = join(root, 'node_modules.lock')
  const log = join(root, 'log')
  const env = { npm_node_execpath: process.execPath, npm_execpath: npm }
  return { root, lock, log, env, go: () => writeFileSync(join(root, 'go'), '') }
}

test('two commands in a fresh clone install the dependencies one after the other', async (t) => {
  const { root, lock, log, env, go } = createClone()
  t.after(go)
  // A killed install has left its lock.
  const killed = spawnSync(process.execPath, ['--version']).pid
  symlinkSync(String(killed), lock)
  const setUp = (...words: string[]) => {
    const child = spawn(process.execPath, [join(root, 'tools/setup.cjs'), ...words], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const { output, ended } = collectOutput(child)
    return { child, ended, stderr: () => output.stderr }
  }

  const first = setUp()
  await waitUntil('the first install', () => existsSync(log))
  const second = setUp('--dev')
  await waitUntil('the second command', () => second.stderr() !== '')
  assert.match(second.stderr(), new RegExp(`waiting for process ${first.child.pid},`))
  const third = setUp()
  await waitUntil('the third command', () => third.stderr() !== '')
  go()
  const codes = await Promise.all([first, second, third].map(({ ended }) => ended))
  assert.deepEqual(
    codes.map(({ code }) => code),
    [0, 0, 0],
  )
  const lines = readFileSync(log, 'utf8').trim().split('\n')
  assert.deepEqual(lines, ['begin --omit=dev', 'end', 'begin --include=dev', 'end'])
  assert.equal(existsSync(lock), false)
})

/** Stands in for a build: writes that it ran, and makes what a build makes. */
const standInBuild = (name: string, directory: string, entry: string) => `
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
appendFileSync('log', 'build ${name}\\n')
mkdirSync('${directory}/made', { recursive: true })
writeFileSync('${directory}/made/${entry}', '')
writeFileSync('${directory}/current', 'made')
`

test('what starts, releases and packs a clone needs no package of development', () => {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  const files = globSync(['tools/{build-*,stamped-build}.ts', 'tools/{packages,release}/*.ts'])
  const imported = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:from|import\() ?'((?:@[\w-]+\/)?\w[\w.:-]*)/g)].map(
      ([, name = '']) => name,
    ),
  )
  const packages = [...new Set(imported.filter((name) => !name.startsWith('node:')))]
  assert.deepEqual(packages.toSorted(), ['rolldown', 'vite'])
  // A production install, as of a start and a release, leaves out what is `dev` in the lockfile.
  for (const name of packages)
    assert.notEqual(lock.packages[`node_modules/${name}`].dev, true, name)
  for (const folder of ['sdk', 'cli', 'conformance']) {
    const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const prepack =
      'node ../tools/setup.cjs && ../node_modules/.bin/node ../tools/packages/prepack.ts'
    assert.deepEqual(scripts, { prepack }, folder)
  }
})

test('a start in which nothing has changed starts no build', () => {
  const { root, log, env, go } = createClone()
  go()
  const sources = ['src/a.ts', 'web/src/b.ts', 'sdk/src/c.ts']
  for (const path of sources) {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), 'const one = 1')
  }
  const builds = {
    web: ['web/dist', 'index.html'],
    server: ['dist', 'server.js'],
    packages: ['packages', 'packages.json'],
  } as const
  for (const [name, [directory, entry]] of Object.entries(builds)) {
    writeFileSync(
      join(root, `tools/build-${name}.ts`),
      standInBuild(name, join(root, directory), entry).replace("'log'", JSON.stringify(log)),
    )
  }
  const start = (...words: string[]) => {
    writeFileSync(log, '')
    const args = [join(root, 'tools/setup.cjs'), ...words]
    const { status, stderr } = spawnSync(process.execPath, args, { env, timeout: 60_000 })
    assert.equal(status, 0, String(stderr))
    return readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('build'))
  }
  const every = ['--web', '--server', '--packages']
  const all = ['build web', 'build server', 'build packages']
  assert.deepEqual(start(...every), all)
  assert.deepEqual(start(...every), [])
  // What npm pack writes is no source.
  mkdirSync(join(root, 'sdk/dist'))
  assert.deepEqual(start(...every), [])
  // The same size, so only the times of the file tell.
  for (const path of sources) {
    writeFileSync(join(root, path), 'const one = 2')
    assert.deepEqual(start(...every), all, path)
  }
  writeFileSync(join(root, 'src/new.ts'), '')
  assert.deepEqual(start('--web'), ['build web'])
  assert.deepEqual(start(...every), ['build server', 'build packages'])
  rmSync(join(root, 'src/new.ts'))
  assert.deepEqual(start(...every), all)
  rmSync(join(root, 'dist/made/server.js'))
  assert.deepEqual(start(...every), ['build server'])
  assert.deepEqual(start(...every), [])
})
