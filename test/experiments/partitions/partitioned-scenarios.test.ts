import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { PARTITIONED_TABLES, partitionPostgres } from '#db/postgres/partition.ts'
import { enableRowLevelSecurity } from '#test/support/engines/row-level-security.ts'
import { createMigratedDatabase } from '#test/support/engines/test-database.ts'

const ROOT = join(import.meta.dirname, '../../..')

test('scenarios pass on partitioned tables', async () => {
  const { url } = await createMigratedDatabase()
  await partitionPostgres({ url, tables: PARTITIONED_TABLES, parts: 4, onProgress: () => {} })
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const child = spawn(
    process.execPath,
    [
      '--test',
      '--test-isolation=none',
      '--test-reporter=tap',
      '--test-name-pattern=\\(postgres\\)',
      ...['events', 'deliveries', 'activity'].map((noun) => `src/resources/${noun}/*.test.ts`),
    ],
    {
      cwd: ROOT,
      env: { ...env, TEST_POSTGRES: url, TEST_POSTGRES_WALLED: await enableRowLevelSecurity(url) },
    },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output += text
    })
  }
  const [code] = await once(child, 'close')
  assert.equal(code, 0, output.slice(-10_000))
  assert.ok(Number(/^# pass (\d+)/m.exec(output)?.[1]) > 30, output.slice(-1_000))
})
