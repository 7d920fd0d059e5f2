import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import { dropApplication } from '#resources/applications/operations.ts'
import { removeMember } from '#resources/members/membership.ts'
import { ENGINES } from '../support/engines.ts'
import { newHome } from '../support/home.ts'
import { client, newApp, newPkce, type Tokens, tokensIn } from '../support/oauth.ts'
import { beside, docketInTime, stoppedTime, wordOf } from './oauth.ts'

for (const engine of ENGINES) {
  const setUp = async (wanted: Parameters<typeof newApp>[2] = {}) => {
    const docket = await docketInTime(engine)
    const home = await newHome(docket.storage)
    const redirect_uris = ['https://app.example/cb', 'https://app.example/other']
    const app = await newApp(docket, home, { redirect_uris, ...wanted })
    const own = client(docket, home, app)
    /** What is left of tokens: how each is answered, and whether the client is told of it. */
    const left = async ({ access_token, refresh_token }: Tokens) => [
      (await own.me(access_token)).status,
      (await own.post('/oauth/introspect', { token: access_token })).body.active,
      (await own.post('/oauth/introspect', { token: refresh_token })).body.active,
      wordOf(await own.refresh(refresh_token)),
    ]
    return { docket, home, app, left, ...own }
  }
  const DEAD = [401, false, false, '400 invalid_grant']

  test(`of fifty who redeem a code one gets tokens, and loses them (${engine})`, async () => {
    for (const type of ['public', 'confidential'] as const) {
      const { codeFor, exchange, left } = await setUp({ type })
      const { code, verifier } = await codeFor('member')
      const all = await Promise.all(Array.from({ length: 50 }, () => exchange(code, verifier)))
      const given = all.filter(({ status }) => status === 200)
      assert.equal(given.length, 1)
      const others = new Set(all.filter(({ status }) => status !== 200).map(wordOf))
      assert.deepEqual(others, new Set(['400 invalid_grant']))
      assert.deepEqual(await left(tokensIn(given[0] ?? assert.fail())), DEAD)
    }
  })

  test(`a code that is used again ends what came of it, by whichever server, however late (${engine})`, async (t) => {
    const pass = stoppedTime(t)
    const { docket, home, app, codeFor, exchange, refresh, left } = await setUp()
    const again = client(await beside(docket), home, app)
    for (const wait of [0, 61, 3_000]) {
      const { code, verifier } = await codeFor('member')
      const first = tokensIn(await exchange(code, verifier))
      const other = await codeFor('member')
      const kept = tokensIn(await exchange(other.code, other.verifier))
      const second = tokensIn(await refresh(first.refresh_token))
      pass({ seconds: wait })
      assert.equal(wordOf(await again.exchange(code, verifier)), '400 invalid_grant')
      assert.deepEqual(await left(second), DEAD)
      assert.deepEqual((await left(first))[0], 401)
      assert.equal((await left(kept))[0], 200, 'another authorization goes on')
    }
  })

  test(`each that does not fit refuses a code, and leaves it as it was (${engine})`, async () => {
    const { docket, home, app, codeFor, exchange, post } = await setUp()
    const make = (type: 'public' | 'confidential') =>
      newApp(docket, home, { type, redirect_uris: [app.redirect_uri] })
    const others = [await make('public'), await make('confidential')]
    const { code, verifier } = await codeFor('member')
    const injected = await codeFor('admin')
    const good = { grant_type: 'authorization_code', code, redirect_uri: app.redirect_uri }
    const grant = 'invalid_grant'
    const request = 'invalid_request'
    const rows: [Record<string, string>, string][] = [
      [{ ...good, code_verifier: newPkce().verifier }, grant],
      [good, grant],
      [{ ...good, code_verifier: '' }, grant],
      [{ ...good, code_verifier: verifier.slice(0, -1) }, request],
      [{ ...good, code_verifier: `${verifier}x` }, grant],
      [{ ...good, code_verifier: `${verifier}\0` }, request],
      [{ ...good, code_verifier: 'x'.repeat(8_192) }, request],
      [{ ...good, code_verifier: verifier, redirect_uri: 'https://app.example/other' }, grant],
      [{ ...good, code_verifier: verifier, redirect_uri: `${app.redirect_uri}/` }, grant],
      [{ grant_type: 'authorization_code', code, code_verifier: verifier }, request],
      [{ ...good, code_verifier: verifier, code: `${code}x` }, grant],
      [{ ...good, code_verifier: verifier, code: '' }, request],
      [{ ...good, code_verifier: verifier, code: '\0' }, grant],
      // Put into the session of another: its verifier is another one.
      [{ ...good, code_verifier: verifier, code: injected.code }, grant],
      [{ ...good, code_verifier: injected.verifier }, grant],
      [{ ...good, code_verifier: verifier, grant_type: 'refresh_token' }, request],
    ]
    for (const [form, error] of rows) {
      assert.equal(wordOf(await post('/oauth/token', form)), `400 ${error}`, JSON.stringify(form))
    }
    for (const other of others) {
      const stolen = await client(docket, home, other).exchange(code, verifier)
      assert.equal(wordOf(stolen), '400 invalid_grant')
    }
    const given = await exchange(code, verifier)
    assert.equal(given.status, 200, given.text)
    // A code that was used is none for others, either, and theirs does not end what came of it.
    for (const other of others) {
      assert.equal((await client(docket, home, other).exchange(code, verifier)).status, 400)
    }
    const { refresh_token } = tokensIn(given)
    assert.equal((await client(docket, home, app).refresh(refresh_token)).status, 200)
    assert.equal((await exchange(injected.code, injected.verifier)).status, 200)
  })

  test(`a code ends after a minute, with its person and with its application (${engine})`, async (t) => {
    const pass = stoppedTime(t)
    const { docket, home, app, codeFor, exchange } = await setUp()
    const within = { ...NOBODY, role: 'owner', workspace_id: home.workspace } as const
    const [late, early] = [await codeFor('member'), await codeFor('member')]
    pass({ seconds: 55 })
    assert.equal((await exchange(early.code, early.verifier)).status, 200)
    pass({ seconds: 6 })
    assert.equal(wordOf(await exchange(late.code, late.verifier)), '400 invalid_grant')

    const [gone, stays] = [await codeFor('member'), await codeFor('guest')]
    await docket.storage.write(within, (tx) => removeMember(tx, home.people.member))
    assert.equal(wordOf(await exchange(gone.code, gone.verifier)), '400 invalid_grant')
    assert.equal((await exchange(stays.code, stays.verifier)).status, 200)

    const last = await codeFor('guest')
    await docket.storage.write(within, (tx) => dropApplication(tx, app.id))
    assert.equal(wordOf(await exchange(last.code, last.verifier)), '401 invalid_client')
  })
}
