import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allCommands, commandsFor } from './commands.ts'

test('every command is found by its own words', async () => {
  const all = await allCommands()
  assert.ok(all.length > 30)
  for (const command of all) {
    assert.ok((await commandsFor(command.name.split(' '))).includes(command), command.name)
  }
  assert.deepEqual(await commandsFor(['unheard-of']), [])
  assert.deepEqual(await commandsFor([]), [])
})
