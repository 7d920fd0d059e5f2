import { test } from 'node:test'
import { emptyDir } from '../support/dir.ts'
import { end, start } from '../support/process.ts'

test('this test fails beside a server', async () => {
  const server = await start(emptyDir())
  await end(server, 'SIGTERM')
  throw new Error('as it should')
})
