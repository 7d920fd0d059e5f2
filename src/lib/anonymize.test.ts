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
  // What somebody wrote into a text is escaped there.
  const text = JSON.stringify({ title: actor(ID, 'not a name') })
  assert.equal(anonymizePayload(text, ID), text)
})
