import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createMigratedDatabase } from '../../support/engines/test-database.ts'
import { refreshDuringKills } from './refresh-during-kills.ts'

suite('token refresh while servers are killed', { concurrency: 2 }, () => {
  test('refuses no refresh, and leaves none half done', async () => {
    const { refreshes, lost, wrong } = await refreshDuringKills({ kills: 20 })
    assert.deepEqual(wrong, [])
    assert.ok(refreshes >= 160 && lost > 1, `${refreshes} refreshes, ${lost} lost`)
  })

  test('refuses no refresh, and leaves none half done, on PostgreSQL', async () => {
    const { url: databaseUrl } = await createMigratedDatabase()
    const { refreshes, lost, wrong } = await refreshDuringKills({ kills: 5, databaseUrl })
    assert.deepEqual(wrong, [])
    assert.ok(refreshes >= 40 && lost > 0, `${refreshes} refreshes, ${lost} lost`)
  })
})
