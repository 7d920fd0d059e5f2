import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { refreshDuringKills } from '../experiments/oauth/refresh-during-kills.ts'
import { createMigratedDatabase } from '../support/engines/test-database.ts'

suite('token refresh while servers are killed', { concurrency: 2 }, () => {
  test('refuses no refresh, and leaves none half done', async () => {
    const { refreshes, lost, wrong } = await refreshDuringKills({ kills: 2 })
    assert.deepEqual(wrong, [])
    assert.ok(refreshes >= 16 && lost > 1, `${refreshes} refreshes, ${lost} lost`)
  })

  test('refuses no refresh, and leaves none half done, on PostgreSQL', async () => {
    const { url: databaseUrl } = await createMigratedDatabase()
    const { refreshes, lost, wrong } = await refreshDuringKills({ kills: 1, databaseUrl })
    assert.deepEqual(wrong, [])
    assert.ok(refreshes >= 8 && lost > 0, `${refreshes} refreshes, ${lost} lost`)
  })

  test('control: a server that returns tokens before it stores them refuses some', async () => {
    const entry = 'test/support/controls/reply-before-commit.ts'
    const { wrong } = await refreshDuringKills({ kills: 6, entry })
    assert.match(wrong.join('\n'), /400 .*invalid_grant/)
  })
})
