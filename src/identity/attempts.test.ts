import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unavailable } from '#core/refusal.ts'
import { createTestClock } from '#test/support/clock.ts'
import { endingOf } from '#test/support/ending.ts'
import { docketOn, ENGINES } from '#test/support/engines.ts'
import { attempt, ofAddress, ofEmail, type Subject } from './attempts.ts'

const MINUTE = 60_000
const clock = createTestClock()

let serial = 0
const somebody = () => {
  serial += 1
  return `somebody.${process.pid}.${serial}@example.com`
}

for (const engine of ENGINES) {
  const trying = async () => {
    const { storage } = await docketOn(engine, {}, { clock })
    return async (subjects: Subject[], isRight = false) =>
      endingOf(attempt(storage, subjects, async () => isRight))
  }

  test(`after ten failures an address is closed for 15 minutes, to the right one too (${engine})`, async () => {
    const tried = await trying()
    const who = [ofEmail(somebody())]
    for (let failed = 0; failed < 10; failed += 1) assert.equal(await tried(who), 'false')
    for (const isRight of [false, true]) {
      assert.match(await tried(who, isRight), /^429 too_many_attempts 900$/)
    }
    clock.advance(10 * MINUTE)
    assert.match(await tried(who, true), /^429 too_many_attempts 300$/)
    assert.equal(await tried([ofEmail(somebody())]), 'false')
    clock.advance(5 * MINUTE)
    assert.equal(await tried(who, true), 'true')
  })

  test(`only failures of the last 15 minutes count, and a success forgets them (${engine})`, async () => {
    const tried = await trying()
    const who = [ofEmail(somebody())]
    for (let failed = 0; failed < 9; failed += 1) await tried(who)
    assert.equal(await tried(who, true), 'true')
    for (let failed = 0; failed < 9; failed += 1) assert.equal(await tried(who), 'false')
    clock.advance(16 * MINUTE)
    for (let failed = 0; failed < 10; failed += 1) assert.equal(await tried(who), 'false')
    assert.match(await tried(who), /^429/)
  })

  test(`of fifty at once ten are judged (${engine})`, async () => {
    const tried = await trying()
    const who = [ofEmail(somebody()), ofAddress('192.0.2.77')]
    const ended = await Promise.all(Array.from({ length: 50 }, () => tried(who)))
    assert.equal(ended.filter((one) => one === 'false').length, 10)
    assert.equal(ended.filter((one) => one.startsWith('429')).length, 40)
  })

  test(`a client fails a hundred times an hour, whomever it tries (${engine})`, async () => {
    const tried = await trying()
    const client = ofAddress(`2001:db8:${serial}:1::1`)
    const neighbour = ofAddress(`2001:db8:${serial}:1:ffff::9`)
    for (let failed = 0; failed < 98; failed += 1) await tried([client, ofEmail(somebody())])
    // What was right, or never judged, is no failure; and it forgives no other.
    assert.equal(await tried([client], true), 'true')
    const { storage } = await docketOn(engine, {}, { clock })
    const broken = attempt(storage, [client], async () => {
      throw unavailable('Busy')
    })
    assert.match(await endingOf(broken), /^503/)
    assert.equal(await tried([client]), 'false')
    assert.equal(await tried([neighbour]), 'false')
    assert.match(await tried([neighbour, ofEmail(somebody())]), /^429/)
    assert.equal(await tried([ofAddress('2001:db8:ffff::1')]), 'false')
    clock.advance(61 * MINUTE)
    assert.equal(await tried([client]), 'false')
  })
}
