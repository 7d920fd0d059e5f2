import { test } from 'node:test'
import { newInstallation, spawnServer } from '../cli/run-cli.ts'
import { endServer, startServer } from '../support/server/server-process.ts'
import { createTempDir } from '../support/system/temp-dir.ts'

test('this test fails beside a server', async () => {
  const server = await startServer(createTempDir())
  await endServer(server, 'SIGTERM')
  throw new Error('as it should')
})

test('this test fails beside a server that it started like a person', async (t) => {
  const { env, remove } = await newInstallation()
  t.after(remove)
  const { child, ended } = await spawnServer(env)
  child.kill('SIGTERM')
  await ended
  throw new Error('as it should')
})
