import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configFrom } from './config.ts'

test("a person's own files lie where XDG says, or in .config", () => {
  const given = { HOME: '/home/ada' }
  const dirs = ['/elsewhere', 'relative', ''].map(
    (XDG_CONFIG_HOME) => configFrom({ ...given, XDG_CONFIG_HOME }).personalDir,
  )
  assert.deepEqual(dirs, ['/elsewhere', '/home/ada/.config', '/home/ada/.config'])
})
