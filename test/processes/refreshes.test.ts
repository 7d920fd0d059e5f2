import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { refreshed } from '../experiments/refreshes.ts'
import { migratedDatabase } from '../support/store.ts'

suite('clients that refresh while servers are killed', { concurrency: 2 }, () => {
  test('nobody is ever refused, and nothing is half done', async () => {
    const { refreshes, lost, wrong } = await refreshed({ kills: 2 })
    assert.deepEqual(wrong, [])
    assert.ok(refreshes >= 16 && lost > 1, `${refreshes} refreshes, ${lost} lost`)
  })

  test('so it is on PostgreSQL', async () => {
    const { url: databaseUrl } = await migratedDatabase()
    const { refreshes, lost, wrong } = await refreshed({ kills: 2, databaseUrl })
    assert.deepEqual(wrong, [])
    assert.ok(refreshes >= 16 && lost > 1, `${refreshes} refreshes, ${lost} lost`)
  })

  test('a server that gives tokens before they are kept is found out', async () => {
    const entry = 'test/support/tokens-first.ts'
    const { wrong } = await refreshed({ kills: 6, entry })
    assert.match(wrong.join('\n'), /400 .*invalid_grant/)
  })
})
