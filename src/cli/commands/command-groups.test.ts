import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadAllCommands, loadCommandGroup } from './command-groups.ts'

test('every command is in the group of its first word', async () => {
  const all = await loadAllCommands()
  assert.ok(all.length > 30)
  for (const command of all) {
    assert.ok((await loadCommandGroup(command.name.split(' '))).includes(command), command.name)
  }
  assert.deepEqual(await loadCommandGroup(['unheard-of']), [])
  assert.deepEqual(await loadCommandGroup([]), [])
})
