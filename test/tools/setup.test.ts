import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
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
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    return { child, ended: once(child, 'close'), stderr: () => stderr }
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
  assert.deepEqual(codes, Array(3).fill([0, null]))
  const lines = readFileSync(log, 'utf8').trim().split('\n')
  assert.deepEqual(lines, ['begin --omit=dev', 'end', 'begin --include=dev', 'end'])
  assert.equal(existsSync(lock), false)
})

test('an install does not wait for a process that has got the id of a killed install', () => {
  // The new command itself has the id, or a process that is known to have started at another time.
  for (const id of ['pid', ...(existsSync('/proc/self/stat') ? ['ppid'] : [])]) {
    const { root, lock, log, env, go } = createClone()
    go()
    const preload = join(root, 'preload.cjs')
    const link = `process.${id} + ' 1', ${JSON.stringify(lock)}`
    writeFileSync(preload, `require('node:fs').symlinkSync(${link})`)
    const args = ['--require', preload, join(root, 'tools/setup.cjs')]
    const { status, stderr } = spawnSync(process.execPath, args, { env, timeout: 60_000 })
    assert.equal(status, 0, String(stderr))
    assert.equal(readFileSync(log, 'utf8'), 'begin --omit=dev\nend\n')
    assert.equal(existsSync(lock), false)
  }
})
