import type { IncomingHttpHeaders } from 'node:http'
import { signStandardWebhook } from '#webhooks/attempts.ts'

/** Decides about a request; returns the status of the reply. */
export type HandleDelivery = (headers: IncomingHttpHeaders, body: Buffer) => number

/** A receiver with one mistake, and the checks that it fails because of it. */
export interface BrokenReceiver {
  mistake: string
  create(secret: string): HandleDelivery
  fails: readonly string[]
}

const FORGERIES = [
  'refuses a changed body',
  'refuses a body that equals the signed one only as JSON',
  'refuses signatures of other secrets',
  'refuses a signature with an empty key',
  'refuses a request without signatures',
  'refuses a part of a signature',
  'refuses a timestamp more than five minutes from its clock',
  'refuses an old request with a new timestamp or another id',
]

/** The parts of a verification that a control replaces. */
interface Verification {
  secret: string
  isTimely?: (timestamp: number) => boolean
  content?: (body: Buffer) => string | Buffer
  matches?: (header: string, expected: string) => boolean
}

const isNow = (timestamp: number) => Math.abs(Date.now() / 1000 - timestamp) <= 300
const isAmongThem = (header: string, expected: string) => header.split(' ').includes(expected)

function verify(
  headers: IncomingHttpHeaders,
  body: Buffer,
  { secret, isTimely = isNow, content = (raw) => raw, matches = isAmongThem }: Verification,
): boolean {
  const [id, at, header] = ['id', 'timestamp', 'signature'].map((name) =>
    String(headers[`webhook-${name}`] ?? ''),
  )
  const timestamp = Number(at)
  if (!isTimely(timestamp)) return false
  const expected = signStandardWebhook({ id: `${id}`, timestamp, body: content(body), secret })
  return matches(`${header}`, expected)
}

const verifyWith =
  (replaced: Omit<Verification, 'secret'>) =>
  (secret: string): HandleDelivery =>
  (headers, body) =>
    verify(headers, body, { ...replaced, secret }) ? 204 : 401

function writeAgain(body: Buffer): string {
  try {
    return JSON.stringify(JSON.parse(body.toString()))
  } catch (error) {
    if (error instanceof SyntaxError) return ''
    throw error
  }
}

/** Mistakes that people make in receivers. */
export const BROKEN_RECEIVERS: readonly BrokenReceiver[] = [
  {
    mistake: 'accepts anything',
    create: () => () => 204,
    fails: FORGERIES,
  },
  {
    mistake: 'ignores the timestamp',
    create: verifyWith({ isTimely: () => true }),
    fails: ['refuses a timestamp more than five minutes from its clock'],
  },
  {
    mistake: 'verifies JSON that it has written again',
    create: verifyWith({ content: writeAgain }),
    fails: [
      'accepts a body with unusual white space, escapes and characters',
      'refuses a changed body',
      'refuses a body that equals the signed one only as JSON',
    ],
  },
  {
    mistake: 'compares only the first signature',
    create: verifyWith({ matches: (header, expected) => header.split(' ')[0] === expected }),
    fails: ['accepts either of two signatures during a rotation'],
  },
  {
    mistake: 'compares as many characters as were sent',
    create: verifyWith({
      matches: (header, expected) => header.split(' ').some((one) => expected.startsWith(one)),
    }),
    fails: ['refuses a request without signatures', 'refuses a part of a signature'],
  },
  {
    mistake: 'fails on a repeated event',
    create(secret) {
      const ids = new Set<unknown>()
      return (headers, body) => {
        if (!verify(headers, body, { secret })) return 401
        if (ids.has(headers['webhook-id'])) return 500
        ids.add(headers['webhook-id'])
        return 204
      }
    },
    fails: [
      'accepts an event again when it is retried or replayed',
      'accepts an event that arrives five times at once',
    ],
  },
]
