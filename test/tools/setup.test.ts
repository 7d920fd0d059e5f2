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

test('two commands in a fresh clone install the dependencies one after the other', async (t) => {
  const root = createTempDir()
  mkdirSync(join(root, 'tools'))
  for (const path of ['package-lock.json', 'tools/setup.cjs']) copyFileSync(path, join(root, path))
  const npm = join(root, 'npm.cjs')
  writeFileSync(npm, NPM)
  const log = join(root, 'log')
  const go = () => writeFileSync(join(root, 'go'), '')
  t.after(go)
  // A killed install has left its lock.
  const killed = spawnSync(process.execPath, ['--version']).pid
  symlinkSync(String(killed), join(root, 'node_modules.lock'))
  const setUp = (...words: string[]) => {
    const child = spawn(process.execPath, [join(root, 'tools/setup.cjs'), ...words], {
      env: { npm_node_execpath: process.execPath, npm_execpath: npm },
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
  assert.equal(existsSync(join(root, 'node_modules.lock')), false)
})
