import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Attempt, signedHeaders } from '#delivery/sign.ts'
import { newWebhookSecret } from '#lib/token.ts'
import { type Program, programsOf, ran } from './programs.ts'

const NAMES = ['verify.ts', 'verify.py', 'verify.go', 'verify.rb', 'verify.php', 'verify.sh']
/** What every machine that runs these tests has. */
const SURELY = ['verify.ts', 'verify.sh']

const { programs, missing } = programsOf('docs/webhooks.md')

const SECRET = newWebhookSecret()
const OTHER = newWebhookSecret()
const ODD = '{"title":"Café ☕ 日本 👩‍🚀 e\u0301 \u202eעברית \u2028 \\u0000 \'$(id)`%s\\\\n"}\r\n'

interface Post {
  headers: Record<string, string>
  body: Buffer
  secret: string
}

/** A post as Docket sends it, to somebody who knows SECRET; `more` is what is otherwise. */
function post(more: Partial<Attempt> = {}, body = ODD): Post {
  const headers = signedHeaders({
    ...{ delivery_id: 'dlv_1', event_id: 'evt_01k2m3n4p5q6r7s8t9v0w1x2y4', attempt: 1 },
    ...{ event_type: 'task.updated', at: Date.now(), body, secret: SECRET, previous_secret: null },
    ...more,
  })
  return { headers, body: Buffer.from(body), secret: SECRET }
}

/** The same with some of its headers, or its body, replaced on the way. */
const spoilt = (change: Record<string, string>, sent = post()): Post => ({
  ...sent,
  headers: { ...sent.headers, ...change },
})

const TEXT_SECRET = "It's a Secret to Everybody: 日本"

const GENUINE = (): Record<string, Post> => ({
  'an ordinary post': post(),
  'a body of 1 MiB': post({}, '{"title":"☕ 日本"}'.padEnd(2 ** 20 - 7)),
  'a secret that is text': { ...post({ secret: TEXT_SECRET }), secret: TEXT_SECRET },
  'the new of two secrets': post({ previous_secret: OTHER }),
  'the old of two secrets': post({ secret: OTHER, previous_secret: SECRET }),
  'four minutes late': post({ at: Date.now() - 240_000 }),
  'by a clock that is four minutes ahead': post({ at: Date.now() + 240_000 }),
})

const REFUSED = (): Record<string, Post> => {
  const { headers, body } = post()
  const { 'webhook-signature': standard = '', 'X-Service-Signature': service = '' } = headers
  return {
    'a changed byte': { ...post(), body: Buffer.from(ODD.replace('Caf', 'caf')) },
    'a byte more': { ...post(), body: Buffer.concat([body, Buffer.from('\n')]) },
    'another secret': { ...post(), secret: OTHER },
    'two other secrets': { ...post({ previous_secret: OTHER }), secret: newWebhookSecret() },
    'an id changed': spoilt({ 'webhook-id': 'evt_2' }),
    'a time changed': spoilt({ 'webhook-timestamp': String(Math.floor(Date.now() / 1000) + 9) }),
    'a time that is none': spoilt({ 'webhook-timestamp': 'now' }),
    'more than five minutes old': post({ at: Date.now() - 310_000 }),
    'more than five minutes ahead': post({ at: Date.now() + 400_000 }),
    'a standard signature cut': spoilt({ 'webhook-signature': standard.slice(0, -1) }),
    'a standard signature gone on': spoilt({ 'webhook-signature': `${standard}=` }),
    'a standard signature of nothing': spoilt({ 'webhook-signature': 'v1,' }),
    'a service signature cut': spoilt({ 'X-Service-Signature': service.slice(0, -1) }),
    'a service signature of nothing': spoilt({ 'X-Service-Signature': '' }),
    'a service signature that is no ASCII': spoilt({ 'X-Service-Signature': 'sha256=é☕' }),
    'no headers at all': { ...post(), headers: {} },
    'a secret that was forgotten': { ...post({ secret: '' }), secret: '' },
  }
}

test('the guide has a program for each language that it names, and some of them run here', (t) => {
  const here = programs.map(({ name }) => name)
  assert.deepEqual([...here, ...missing].sort(), [...NAMES].sort())
  for (const name of SURELY) assert.ok(here.includes(name), `${name} must run everywhere`)
  if (missing.length > 0) t.diagnostic(`nothing on this machine runs ${missing.join(', ')}`)
})

for (const program of programs) {
  test(`${program.name} takes what Docket signed, and nothing else`, async () => {
    for (const [what, sent] of Object.entries(GENUINE())) {
      assert.deepEqual(await ran(program, sent), { code: 0, printed: 'genuine' }, what)
    }
    for (const [what, sent] of Object.entries(REFUSED())) await isRefused(program, sent, what)
  })
}

async function isRefused(program: Program, sent: Post, what: string): Promise<void> {
  const { code, printed } = await ran(program, sent)
  // Without a secret it may end as it likes, as long as it takes nothing.
  if (sent.secret === '') assert.ok(code !== 0 && printed !== 'genuine', what)
  else assert.deepEqual({ code, printed }, { code: 1, printed: 'refused' }, what)
}
