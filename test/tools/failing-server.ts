import { test } from 'node:test'
import { endServer, startServer } from '../support/server/server-process.ts'
import { createTempDir } from '../support/system/temp-dir.ts'

test('this test fails beside a server', async () => {
  const server = await startServer(createTempDir())
  await endServer(server, 'SIGTERM')
  throw new Error('as it should')
})
