import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anonymizePayload } from './anonymize.ts'

const ID = 'usr_01k2m3n4p5q6r7s8t9v0w1x2y3'
const OTHER = 'usr_01k2m3n4p5q6r7s8t9v0w1x2y4'

test('removes only the personal data of one user from an event', () => {
  const actor = (id: string, name: string) =>
    `"actor":{"type":"user","user_id":"${id}","name":${JSON.stringify(name)},"credential_id":null}`
  const record = (id: string, name: string, email: string | null, avatar: string | null) =>
    `"data":{"id":"${id}","name":${JSON.stringify(name)},"email":${JSON.stringify(email)},"avatar_url":${JSON.stringify(avatar)},"role":"member"}`
  const before = `{${actor(ID, 'An "odd\\" name')},${record(ID, 'Zoë, "Z"', 'z@x.example', 'https://x/a')},"n":{"10":1,"9":2}}`
  const after = `{${actor(ID, 'Removed person')},${record(ID, 'Removed person', `${ID}@removed.invalid`, null)},"n":{"10":1,"9":2}}`
  assert.equal(anonymizePayload(before, ID), after)
  assert.equal(anonymizePayload(after, ID), after)
  assert.equal(anonymizePayload(before, OTHER), before)
  const comment = (name: string, avatar: string) =>
    `{"id":"cmt_1","author":{"id":"${ID}","name":"${name}","avatar_url":${avatar}},"body":"x"}`
  assert.equal(
    anonymizePayload(comment('Zoë', '"https://x/a"'), ID),
    comment('Removed person', 'null'),
  )
  // What somebody wrote into a text is escaped there.
  const text = JSON.stringify({ title: actor(ID, 'not a name') })
  assert.equal(anonymizePayload(text, ID), text)
})

test('removes former and new names from an event about a changed member', () => {
  const event = (id: string, name: string, changes: object) =>
    `{"type":"member.updated","data":{"id":"${id}","name":"${name}","email":"${name}","avatar_url":null,"role":"guest"},"changes":${JSON.stringify(changes)}}`
  const changes = {
    name: { from: 'Zoë', to: 'Zoe' },
    email: { from: 'zoe@x.example', to: 'z@x.example' },
    avatar_url: { from: null, to: 'https://x/zoe' },
    locale: { from: 'de', to: 'en' },
  }
  const before = event(ID, 'Zoe', changes)
  const redacted = JSON.parse(anonymizePayload(before, ID))
  const email = `${ID}@removed.invalid`
  assert.deepEqual([redacted.data.name, redacted.data.email], ['Removed person', email])
  assert.deepEqual(redacted.changes, {
    name: { from: 'Removed person', to: 'Removed person' },
    email: { from: email, to: email },
    avatar_url: { from: null, to: null },
    locale: { from: 'de', to: 'en' },
  })
  assert.equal(anonymizePayload(before, OTHER), before)
})
