import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEmptyDatabase } from '#test/support/engines/test-database.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { openPostgresPool, takeUrlParameters } from './pool.ts'

test('takes parameters out of an address and leaves the rest as it is', () => {
  const socket = 'postgres://docket@/docket?host=/run/postgresql'
  assert.deepEqual(takeUrlParameters(socket, 'options'), { url: socket, taken: new Map() })
  assert.deepEqual(takeUrlParameters(`${socket}&application_name=a?b`, 'application_name'), {
    url: 'postgres://docket@/docket?host=%2Frun%2Fpostgresql',
    taken: new Map([['application_name', 'a?b']]),
  })
  assert.deepEqual(takeUrlParameters('postgres://h/d?options=-c%20a%3Db', 'options'), {
    url: 'postgres://h/d',
    taken: new Map([['options', '-c a=b']]),
  })
})

if (ENGINES.includes('postgres')) {
  test('an address cannot hide that a Docket is connected, and keeps its options', async (t) => {
    const { url } = await createEmptyDatabase()
    const address = `${url}${url.includes('?') ? '&' : '?'}application_name=own&options=-csearch_path%3Down`
    const shown =
      "select current_setting('application_name') as name, current_setting('search_path') as path"
    const pool = openPostgresPool({ url: address })
    t.after(() => pool.end())
    assert.deepEqual((await pool.query(shown)).rows, [{ name: 'docket', path: 'own' }])
  })
}
