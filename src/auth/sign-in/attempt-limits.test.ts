import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { ApiError, serviceUnavailable } from '#core/api-error.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createCookieClient, describeReply } from '#test/support/world/cookie-client.ts'
import {
  type AttemptLimit,
  countAttempts,
  limitByAddress,
  limitByEmail,
  withAttemptLimits,
} from './attempt-limits.ts'

const MINUTE_MS = 60_000
const clock = createTestClock()

let serial = 0
const uniqueEmail = () => {
  serial += 1
  return `somebody.${process.pid}.${serial}@example.com`
}

for (const engine of ENGINES) {
  const createAttempt = async () => {
    const { storage } = await openTestDocket(engine, {}, { clock })
    return async (limits: AttemptLimit[], isRight = false) =>
      describeOutcome(withAttemptLimits(storage, limits, async () => isRight))
  }

  test(`blocks an address for 15 minutes after ten failures, even with the right password (${engine})`, async () => {
    const tryOnce = await createAttempt()
    const limits = [limitByEmail(uniqueEmail())]
    for (let failed = 0; failed < 10; failed += 1) assert.equal(await tryOnce(limits), 'false')
    for (const isRight of [false, true]) {
      assert.match(await tryOnce(limits, isRight), /^429 too_many_attempts 900$/)
    }
    clock.advance(10 * MINUTE_MS)
    assert.match(await tryOnce(limits, true), /^429 too_many_attempts 300$/)
    assert.equal(await tryOnce([limitByEmail(uniqueEmail())]), 'false')
    clock.advance(5 * MINUTE_MS)
    assert.equal(await tryOnce(limits, true), 'true')
  })

  test(`counts failures of the last 15 minutes only, and resets them on success (${engine})`, async () => {
    const tryOnce = await createAttempt()
    const limits = [limitByEmail(uniqueEmail())]
    for (let failed = 0; failed < 9; failed += 1) await tryOnce(limits)
    assert.equal(await tryOnce(limits, true), 'true')
    for (let failed = 0; failed < 9; failed += 1) assert.equal(await tryOnce(limits), 'false')
    clock.advance(16 * MINUTE_MS)
    for (let failed = 0; failed < 10; failed += 1) assert.equal(await tryOnce(limits), 'false')
    assert.match(await tryOnce(limits), /^429/)
  })

  test(`verifies only ten of fifty concurrent attempts (${engine})`, async () => {
    const tryOnce = await createAttempt()
    const limits = [limitByEmail(uniqueEmail()), limitByAddress('192.0.2.77')]
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => tryOnce(limits)))
    assert.equal(outcomes.filter((outcome) => outcome === 'false').length, 10)
    assert.equal(outcomes.filter((outcome) => outcome.startsWith('429')).length, 40)
  })

  test(`limits a client network to 100 failures an hour across all accounts (${engine})`, async () => {
    const tryOnce = await createAttempt()
    const client = limitByAddress(`2001:db8:${serial}:1::1`)
    const neighbour = limitByAddress(`2001:db8:${serial}:1:ffff::9`)
    for (let failed = 0; failed < 98; failed += 1)
      await tryOnce([client, limitByEmail(uniqueEmail())])
    // Successful and aborted attempts do not count as failures, and do not reset earlier failures.
    assert.equal(await tryOnce([client], true), 'true')
    const { storage } = await openTestDocket(engine, {}, { clock })
    const broken = withAttemptLimits(storage, [client], async () => {
      throw serviceUnavailable('Busy')
    })
    assert.match(await describeOutcome(broken), /^503/)
    assert.equal(await tryOnce([client]), 'false')
    assert.equal(await tryOnce([neighbour]), 'false')
    assert.match(await tryOnce([neighbour, limitByEmail(uniqueEmail())]), /^429/)
    assert.equal(await tryOnce([limitByAddress('2001:db8:ffff::1')]), 'false')
    clock.advance(61 * MINUTE_MS)
    assert.equal(await tryOnce([client]), 'false')
  })

  test(`a blocked sign-in changes nothing, and rolls back no write of the same commit (${engine})`, async () => {
    const { storage, server } = await openTestDocket(engine, {}, { clock })
    const client = createCookieClient(server)
    const [email, remoteAddress] = [uniqueEmail(), `2001:db8:b:${serial}::1`]
    const signIn = (address: string, from = remoteAddress) =>
      client.send(
        'POST /internal/session',
        { email: address, password: 'wrong' },
        { remoteAddress: from },
      )
    for (let failed = 0; failed < 10; failed += 1)
      assert.equal(describeReply(await signIn(email)), '401 invalid_credentials')
    clock.advance(5 * MINUTE_MS)

    const neighbours = { runs: 0, writes: 0 }
    let isOver = false
    const writeOnAndOn = async () => {
      while (!isOver) {
        const limit = limitByEmail(uniqueEmail())
        await storage.write(ANONYMOUS_ACTOR, (tx) => {
          neighbours.runs += 1
          return countAttempts(tx, [limit])
        })
        neighbours.writes += 1
      }
    }
    // More than share a commit, so that some of them wait before each sign-in.
    const writers = Array.from({ length: 100 }, writeOnAndOn)
    for (let round = 0; round < 2; round += 1) {
      const blocked = await Promise.all(Array.from({ length: 20 }, () => signIn(email)))
      for (const reply of blocked) {
        assert.equal(describeReply(reply), '429 too_many_attempts')
        assert.equal(reply.headers['retry-after'], '600')
      }
    }
    isOver = true
    await Promise.all(writers)
    assert.equal(neighbours.runs, neighbours.writes)
    // The address has failed ten times, not a hundred: rejected attempts do not count against it.
    assert.equal(describeReply(await signIn(uniqueEmail())), '401 invalid_credentials')
    clock.advance(10 * MINUTE_MS)
    assert.equal(describeReply(await signIn(email)), '401 invalid_credentials')
    // Beyond the limit of the address, no further email address gets a counter.
    // Twelve sign-ins have failed. The rest is counted without the slow verification of a password.
    const tryOnce = await createAttempt()
    for (let failed = 0; failed < 88; failed += 1)
      assert.equal(await tryOnce([limitByAddress(remoteAddress)]), 'false')
    assert.equal(describeReply(await signIn(uniqueEmail())), '429 too_many_attempts')
    const unknownEmail = uniqueEmail()
    assert.equal(describeReply(await signIn(unknownEmail)), '429 too_many_attempts')
    const { name } = limitByEmail(unknownEmail)
    const counter = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.one(counterByName, { name }))
    assert.equal(counter, undefined)
  })
}

const counterByName = unscopedQuery((db, $: { name: string }) =>
  db.selectFrom('attempts').selectAll().where('subject', '=', $.name),
)

/** The result of some work as text, or the status, code and Retry-After of its API error. */
async function describeOutcome(work: Promise<unknown>): Promise<string> {
  try {
    return String(await work)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { status, code, headers } = error
    return [status, code, headers['retry-after']].filter(Boolean).join(' ')
  }
}
