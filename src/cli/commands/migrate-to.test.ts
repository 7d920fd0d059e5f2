import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutCredentials } from './migrate-to.ts'

test('an address is shown without its credentials, also that of a Unix socket', () => {
  for (const [url, shown] of [
    [
      'postgres://ada:hunter2@db.example:5433/docket?sslmode=require',
      'postgres://db.example:5433/docket',
    ],
    ['postgres://ada:hunt@r2@db.example/docket', 'postgres://db.example/docket'],
    ['postgres://docket@/docket?host=/run/postgresql&password=hunter2', 'postgres:///docket'],
    ['postgresql://db.example/docket', 'postgresql://db.example/docket'],
  ] as const) {
    assert.equal(withoutCredentials(url), shown)
  }
})
