import { newWebhookSecret } from '#lib/token.ts'
import { createSignedHeaders, type SigningInput } from '#webhooks/attempts.ts'

/** A request to a receiver that knows `secret`. */
export interface SignedPost {
  headers: Record<string, string>
  body: Buffer
  secret: string
}

const SECRET = newWebhookSecret()
const OTHER = newWebhookSecret()
const TEXT_SECRET = "It's a Secret to Everybody: 日本"
const ODD_BODY =
  '{"title":"Café ☕ 日本 👩‍🚀 e\u0301 \u202eעברית \u2028 \\u0000 \'$(id)`%s\\\\n"}\r\n'

/** A post as Docket sends it with SECRET; `overrides` changes what is signed. */
export function signPost(overrides: Partial<SigningInput> = {}, body = ODD_BODY): SignedPost {
  const headers = createSignedHeaders({
    delivery_id: 'dlv_1',
    event_id: 'evt_01k2m3n4p5q6r7s8t9v0w1x2y4',
    attempt: 1,
    event_type: 'task.updated',
    at: Date.now(),
    body,
    secret: SECRET,
    previous_secret: null,
    ...overrides,
  })
  return { headers, body: Buffer.from(body), secret: overrides.secret ?? SECRET }
}

/** A post with headers that were changed after it was signed. */
const withHeaders = (changes: Record<string, string>, sent = signPost()): SignedPost => ({
  ...sent,
  headers: { ...sent.headers, ...changes },
})

export const signGenuinePosts = (): Record<string, SignedPost> => ({
  'an ordinary post': signPost(),
  'a body of 1 MiB': signPost({}, '{"title":"☕ 日本"}'.padEnd(2 ** 20 - 7)),
  'a secret that is text': signPost({ secret: TEXT_SECRET }),
  'the new of two secrets': signPost({ previous_secret: OTHER }),
  'the old of two secrets': {
    ...signPost({ secret: OTHER, previous_secret: SECRET }),
    secret: SECRET,
  },
  'four minutes late': signPost({ at: Date.now() - 240_000 }),
  'by a clock that is four minutes ahead': signPost({ at: Date.now() + 240_000 }),
})

/** Posts whose `webhook-signature` is not valid for their secret, their body or this time. */
export function createForgedPosts(): Record<string, SignedPost> {
  const post = signPost()
  const { 'webhook-signature': standard = '' } = post.headers
  return {
    'a changed byte': { ...post, body: Buffer.from(ODD_BODY.replace('Caf', 'caf')) },
    'a byte more': { ...post, body: Buffer.concat([post.body, Buffer.from('\n')]) },
    'another secret': { ...post, secret: OTHER },
    'two other secrets': { ...signPost({ previous_secret: OTHER }), secret: newWebhookSecret() },
    'an id changed': withHeaders({ 'webhook-id': 'evt_2' }),
    'a time changed': withHeaders({
      'webhook-timestamp': String(Math.floor(Date.now() / 1000) + 9),
    }),
    'a time that is none': withHeaders({ 'webhook-timestamp': 'now' }),
    'more than five minutes old': signPost({ at: Date.now() - 310_000 }),
    'more than five minutes ahead': signPost({ at: Date.now() + 400_000 }),
    'a standard signature cut': withHeaders({ 'webhook-signature': standard.slice(0, -1) }),
    'a standard signature of nothing': withHeaders({ 'webhook-signature': 'v1,' }),
    'no headers at all': { ...post, headers: {} },
    'a secret that was forgotten': signPost({ secret: '' }),
  }
}

/** Posts of which only a program that compares every byte of both signatures notices a change. */
export function createChangedPosts(): Record<string, SignedPost> {
  const { 'webhook-signature': standard = '', 'X-Service-Signature': service = '' } =
    signPost().headers
  return {
    'a standard signature gone on': withHeaders({ 'webhook-signature': `${standard}=` }),
    'a service signature cut': withHeaders({ 'X-Service-Signature': service.slice(0, -1) }),
    'a service signature of nothing': withHeaders({ 'X-Service-Signature': '' }),
    'a service signature that is no ASCII': withHeaders({ 'X-Service-Signature': 'sha256=é☕' }),
  }
}
