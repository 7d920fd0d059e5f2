import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { parseConfig } from '#config/config.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import { openStore } from '#db/installation/open-store.ts'
import { createMigratedDatabase, makeJobsDue } from '../support/engines/test-database.ts'
import { ENGINES } from '../support/engines/test-docket.ts'
import { endServer, seedDataDir, startServer } from '../support/server/server-process.ts'
import { startSmtpServer } from '../support/services/smtp-server.ts'
import { findFreePort } from '../support/system/free-port.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { createTestSession } from '../support/world/test-session.ts'

const PASSWORD = 'of-the-mail-server'

const storedJobs = unscopedQuery((db) =>
  db.selectFrom('jobs').select(['status', 'error']).where('kind', '=', 'invitation_email'),
)

/** A server that accepts connections and never answers; resolves when it has got one. */
async function startSilentServer(port: number) {
  const connected = Promise.withResolvers<void>()
  const server = createServer(() => connected.resolve()).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return { connected: connected.promise, close: () => server.close() }
}

for (const engine of ENGINES) {
  test(`an invitation is sent once after kills and a rotated password (${engine})`, {
    timeout: 180_000,
  }, async (t) => {
    const dataDir = createTempDir()
    const smtpPort = await findFreePort()
    const env: Record<string, string> = {
      ...(engine === 'postgres' && { DOCKET_DATABASE_URL: (await createMigratedDatabase()).url }),
      DOCKET_SMTP_URL: `smtp://docket:${PASSWORD}@127.0.0.1:${smtpPort}`,
      DOCKET_MAIL_FROM: 'docket@example.com',
    }
    const team = await seedDataDir(dataDir, env)
    const port = await findFreePort()
    const url = `http://127.0.0.1:${port}`
    const config = parseConfig({ ...env, DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: TEST_SECRET })
    const { storage } = await openStore(config)
    t.after(() => storage.close())
    const { headers } = await createTestSession(storage, team, 'owner', url)
    const launchServer = async () => {
      const server = await startServer(dataDir, { port, env })
      t.after(() => endServer(server, 'SIGKILL'))
      return server
    }
    const jobs = () => storage.read(ANONYMOUS_ACTOR, (tx) => tx.all(storedJobs, {}))
    const makeDue = () => storage.write(ANONYMOUS_ACTOR, (tx) => tx.run(makeJobsDue, {}))

    const silent = await startSilentServer(smtpPort)
    const first = await launchServer()
    const invited = await fetch(`${url}/internal/invitations`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ada@example.com', role: 'member' }),
    })
    const text = await invited.text()
    assert.equal(invited.status, 201, text)
    const { accept_url } = JSON.parse(text) as { accept_url: string }
    await silent.connected
    await endServer(first, 'SIGKILL')
    silent.close()
    assert.deepEqual(await jobs(), [{ status: 'running', error: null }])

    const mail = await startSmtpServer({ password: PASSWORD, port: smtpPort })
    t.after(mail.close)
    mail.changePassword('rotated')
    await makeDue()
    const second = await launchServer()
    const hasFailed = async () => (await jobs())[0]?.error?.includes('535')
    await waitUntil('the refused sign-in', hasFailed)
    await endServer(second, 'SIGKILL')
    assert.equal((await jobs())[0]?.status, 'waiting')

    mail.changePassword(PASSWORD)
    await makeDue()
    const third = await launchServer()
    const received = await mail.next()
    assert.deepEqual(received.to, ['ada@example.com'])
    assert.ok(received.text.includes(accept_url))
    await waitUntil('the end of the job', async () => (await jobs())[0]?.status === 'done')
    assert.equal(await endServer(third, 'SIGTERM'), 0)
    assert.equal(mail.count(), 0)
  })
}
