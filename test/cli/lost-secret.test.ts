import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  markTotpEnabled,
  totpOfUser,
  upsertPendingTotp,
} from '#auth/second-factor/second-factor-store.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { serveDataDir } from '#db/installation/data-dir.ts'
import { openFreshDocket } from '../support/engines/fresh-docket.ts'
import { ENGINES, openTestDocket, type TestDocket } from '../support/engines/test-docket.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'
import { runHostedCli, runHostedCliJson } from './run-hosted-cli.ts'

interface RenewedSecret {
  secret: string
  former_secret: string | null
  next: string
  sessions_ended: number
  people: number
  second_factors: { user_id: string; email: string }[]
  webhooks: { id: string; workspace_id: string; url: string }[]
}

const OTHER_SECRET = 'another secret, which is new'

for (const engine of ENGINES) {
  /** An installation with a session, a second factor and a webhook, whose secret is lost. */
  const loseSecret = async () => {
    const docket = await openFreshDocket(engine)
    const { storage, config } = docket
    const team = await createTestWorkspace(storage)
    const session = await createTestSession(storage, team, 'owner', config.baseUrl)
    const user_id = team.people.owner
    await storage.write(ANONYMOUS_ACTOR, async (tx) => {
      const sealed_secret = tx.encrypt(`${user_id} JBSWY3DPEHPK3PXP`)
      await tx.run(upsertPendingTotp, { user_id, sealed_secret, last_step: 0, created_at: tx.now })
      await tx.run(markTotpEnabled, { user_id, enabled_at: tx.now })
    })
    const request = { url: 'https://hooks.example.com/a', events: ['task.created'] }
    const send = createSender(docket, team.keys.owner)
    const webhook = await send('POST', '/api/v1/webhooks', request, { 'idempotency-key': 'one' })
    assert.equal(webhook.status, 201, webhook.text)
    const { cursor } = (await send('GET', '/api/v1/projects?limit=1')).body.page ?? {}
    const env = {
      DOCKET_DATA_DIR: config.dataDir,
      ...(config.databaseUrl !== undefined && { DOCKET_DATABASE_URL: config.databaseUrl }),
    }
    return { docket, team, session, user_id, webhook: webhook.body, cursor, env }
  }

  test(`lists, exports and backs up without the secret (${engine})`, async () => {
    const { team, env } = await loseSecret()
    const folder = createTempDir()
    const listed = await runHostedCliJson<{ data: { id: string }[] }>(env, 'workspace', 'list')
    assert.deepEqual(
      listed.data.map(({ id }) => id),
      [team.workspace],
    )
    const archive = join(folder, 'acme.docket.tar')
    await runHostedCliJson(env, 'export', '--workspace', team.workspace, '--to', archive)
    assert.ok(existsSync(archive))
    const backup = await runHostedCliJson<{ hints: string[] }>(
      env,
      'backup',
      '--to',
      join(folder, 'backup'),
    )
    assert.match(backup.hints.join(), /docket secret renew/)
    const misplaced = await runHostedCli(env, 'backup', '--to=~/backup')
    assert.match(misplaced.stderr, /`to` must be a path that does not begin with ~/)
    const scheduled = {
      ...env,
      DOCKET_BACKUP_TO: folder,
      DOCKET_BACKUP_PASSPHRASE: 'a passphrase of ours',
    }
    const kept = await runHostedCli(scheduled, 'backup', '--json')
    assert.match(kept.stdout, /"secret":"apart"/, kept.stderr)
    // Everything that has to read or to write something encrypted names the way out.
    for (const words of [
      ['user', 'list'],
      ['setup-token'],
      ['backup', '--to', join(folder, 'b'), '--with-secret'],
    ]) {
      const { code, stderr } = await runHostedCli(env, ...words)
      assert.equal(code, 1, words.join(' '))
      assert.match(stderr, /secret/, words.join(' '))
    }
    assert.equal(existsSync(join(env.DOCKET_DATA_DIR, 'secret')), false)
  })

  test(`secret renew says what ends, asks, and begins with a new secret (${engine})`, async () => {
    const { docket, team, session, user_id, webhook, env } = await loseSecret()
    const asked = await runHostedCli(env, 'secret', 'renew')
    assert.equal(asked.code, 2)
    assert.match(asked.stderr, /1 sessions of 1 people/)
    assert.match(asked.stderr, /authenticator apps and recovery codes of 1 people.*@/)
    assert.match(
      asked.stderr,
      new RegExp(`1 webhooks.*${webhook.id} of ${team.workspace} \\(hooks.example.com\\)`),
    )
    assert.match(asked.stderr, /--yes/)
    assert.equal(existsSync(join(env.DOCKET_DATA_DIR, 'secret')), false)

    const renewed = await runHostedCliJson<RenewedSecret>(env, 'secret', 'renew', '--yes')
    const path = join(env.DOCKET_DATA_DIR, 'secret')
    assert.equal(renewed.secret, path)
    assert.deepEqual(
      renewed.second_factors.map((one) => one.user_id),
      [user_id],
    )
    assert.deepEqual(
      renewed.webhooks.map(({ id }) => id),
      [webhook.id],
    )
    const secret = readFileSync(path, 'utf8').trim()
    const again = await openTestDocket(engine, { ...env, DOCKET_SECRET: secret })
    const send = createSender(again, team.keys.owner)
    assert.equal((await send('GET', '/api/v1/me')).status, 200, 'API keys stay')
    const bySession = await again.server.inject({
      url: '/internal/session',
      headers: session.headers,
    })
    assert.equal(bySession.statusCode, 401, 'sessions end')
    const totp = await again.storage.read(ANONYMOUS_ACTOR, (tx) => tx.one(totpOfUser, { user_id }))
    assert.equal(totp, undefined)
    const { body } = await send('GET', `/api/v1/webhooks/${webhook.id}`)
    assert.deepEqual([body.is_active, body.disabled_reason], [false, 'manual'])
    const rotated = await send('POST', `/api/v1/webhooks/${webhook.id}/rotate-secret`, {})
    assert.equal(rotated.status, 200, rotated.text)
    const enabled = await send('PATCH', `/api/v1/webhooks/${webhook.id}`, { is_active: true })
    assert.equal(enabled.status, 200, enabled.text)
    // A reply that was stored encrypted is gone, so its key executes again instead of failing.
    const request = { url: 'https://hooks.example.com/a', events: ['task.created'] }
    const repeated = await send('POST', '/api/v1/webhooks', request, { 'idempotency-key': 'one' })
    assert.equal(repeated.status, 201, repeated.text)
    // The former secret opens nothing any more.
    const former = { ...env, DOCKET_SECRET: docket.config.secret ?? '' }
    assert.match((await runHostedCli(former, 'user', 'list')).stderr, /docket secret renew/)
  })

  test(`secret renew takes the secret of DOCKET_SECRET, also in place of a wrong file (${engine})`, async () => {
    const { docket, env } = await loseSecret()
    writeFileSync(join(env.DOCKET_DATA_DIR, 'secret'), 'a wrong secret of another installation\n')
    const same = await runHostedCli(
      { ...env, DOCKET_SECRET: docket.config.secret ?? '' },
      'secret',
      'renew',
      '--yes',
      '--json',
    )
    assert.match(same.stderr, /same_secret/)
    const own = { ...env, DOCKET_SECRET: OTHER_SECRET }
    const renewed = await runHostedCliJson<RenewedSecret>(own, 'secret', 'renew', '--yes')
    assert.equal(renewed.secret, 'DOCKET_SECRET')
    assert.equal((await runHostedCli(own, 'user', 'list')).code, 0)
    // Twice more, in the data directory; both files that were there are kept.
    const path = join(env.DOCKET_DATA_DIR, 'secret')
    const texts = ['a wrong secret of another installation\n']
    const formers: (string | null)[] = []
    for (let times = 0; times < 2; times += 1) {
      const { former_secret, next } = await runHostedCliJson<RenewedSecret>(
        env,
        'secret',
        'renew',
        '--yes',
      )
      formers.push(former_secret)
      assert.match(former_secret ?? '', /secret\.former-\d{4}-\d\d-\d\dT/)
      assert.ok(next.includes(String(former_secret)), next)
      texts.push(readFileSync(path, 'utf8'))
    }
    assert.deepEqual(
      formers.map((former) => readFileSync(String(former), 'utf8')),
      texts.slice(0, 2),
    )
    assert.equal((await runHostedCli(env, 'user', 'list')).code, 0)
    if (engine === 'sqlite') {
      const served = serveDataDir(env.DOCKET_DATA_DIR)
      const refused = await runHostedCli(env, 'secret', 'renew', '--yes', '--json')
      assert.match(refused.stderr, /store_in_use/)
      served?.release()
    }
  })
}

/** Sends requests with an API key. */
function createSender({ server }: TestDocket, key: string) {
  return async (
    method: 'GET' | 'POST' | 'PATCH',
    url: string,
    payload?: object,
    headers: Record<string, string> = {},
  ) => {
    const authorization = `Bearer ${key}`
    const reply = await server.inject({
      method,
      url,
      headers: { authorization, ...headers },
      ...(payload !== undefined && { payload }),
    })
    return { status: reply.statusCode, body: reply.json(), text: reply.body }
  }
}
