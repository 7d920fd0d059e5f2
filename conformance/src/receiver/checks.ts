import { type CheckGroup, type ConformanceCheck, check, expectTrue } from '../check.ts'
import {
  createEvent,
  newSecret,
  type ReceiverRequest,
  type ReceiverSubject,
  type Signature,
  signDelivery,
} from './delivery.ts'

/** The limit of an event (docs/spec/api.md#event-envelope). */
const MAX_EVENT_BYTES = 2 ** 20

/** The option with which checks run that only receivers can pass which verify `webhook-signature`. */
export const STANDARD_SCHEME = '--scheme standard'

/** Creates rows of a table: what is sent must be answered with such a status. */
const expecting =
  (expected: string, isExpected: (status: number) => boolean) =>
  (
    name: string,
    advice: string,
    deliveries: (secret: string) => ReceiverRequest[],
    { needs, atOnce = false }: { needs?: string; atOnce?: boolean } = {},
  ): ConformanceCheck<ReceiverSubject> => {
    const run = async ({ secret, send, exchanges }: ReceiverSubject) => {
      const sent = deliveries(secret)
      const statuses: number[] = []
      if (atOnce) statuses.push(...(await Promise.all(sent.map(send))))
      else for (const delivery of sent) statuses.push(await send(delivery))
      for (const [at, status] of statuses.entries()) {
        const which = sent.length > 1 ? ` to request ${at + 1} of ${sent.length}` : ''
        expectTrue(isExpected(status), `${expected}${which}`, status, exchanges[at])
      }
    }
    return check(name, advice, run, needs)
  }

/** Docket counts a delivery as successful if its status is 2xx. */
const accepts = expecting('status 2xx', (status) => status >= 200 && status < 300)

/** 410 would disable the webhook, and anybody could send that request. */
const refuses = expecting(
  'status 4xx other than 410',
  (status) => status >= 400 && status < 500 && status !== 410,
)

/** An event as Docket sends it, signed with the secret unless `signature` says otherwise. */
function send(secret: string, more = {}, signature: Partial<Signature> = {}): ReceiverRequest {
  const event = createEvent('Check the receiver', more)
  return signDelivery(event, JSON.stringify(event), { secrets: [secret], ...signature })
}

/** The same delivery with other headers; null leaves one out. */
function withHeaders(
  delivery: ReceiverRequest,
  changes: Record<`${'webhook' | 'X-Service'}-${string}`, string | null>,
): ReceiverRequest {
  const headers = { ...delivery.headers }
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) delete headers[name]
    else headers[name] = value
  }
  return { ...delivery, headers }
}

/** JSON as no serializer writes it: white space, an escaped letter, an exponent, raw Unicode. */
const writeOddly = (event: object): string =>
  `\r\n${JSON.stringify(event)}\r\n\t `
    .replaceAll(':null', ' :\tnull')
    .replaceAll('Check', '\\u0043heck')
    .replace('"sequence":1', '"sequence" : 0.10e1')

const VERIFY_FIRST = 'Verify the signature of the raw body first, and reply 401 if it is not valid.'
const RAW_BYTES = 'Sign the bytes as received, not JSON that was parsed and written again.'

/** The checks of a receiver. */
export const RECEIVER_CHECKS: readonly CheckGroup<ReceiverSubject>[] = [
  {
    title: 'Genuine deliveries',
    checks: [
      accepts(
        'accepts an event',
        'Check that the receiver has this secret, and that the URL has the right path.',
        (secret) => [send(secret)],
      ),
      accepts(
        'accepts a test event, which has no sequence and no data',
        'Let `sequence` be null and `data` be empty in events of the type webhook.test.',
        (secret) => [send(secret, { type: 'webhook.test', sequence: null, data: {}, changes: {} })],
      ),
      accepts(
        'accepts an event of an unknown type with unknown members',
        'Reply 2xx to types that you do not handle, and ignore unknown members.',
        (secret) => [send(secret, { type: 'task.invented', invented: { by: [1] } })],
      ),
      accepts(
        'accepts a body with unusual white space, escapes and characters',
        RAW_BYTES,
        (secret) => {
          const event = createEvent('Check Café ☕ 日本 👩‍🚀 e\u0301 \u202e \u2028')
          return [signDelivery(event, writeOddly(event), { secrets: [secret] })]
        },
      ),
      accepts(
        'accepts a body of 1 MiB',
        'Raise the limit of the body, also in proxies, to 1,048,576 bytes.',
        (secret) => {
          const event = createEvent('Check the receiver')
          const write = (description: string) =>
            JSON.stringify({ ...event, data: { ...event.data, description } })
          const body = write('x'.repeat(MAX_EVENT_BYTES - write('').length))
          return [signDelivery(event, body, { secrets: [secret] })]
        },
      ),
      accepts(
        'accepts a body that arrives slowly',
        'Read the body to its end before you verify it, however many pieces it comes in.',
        (secret) => [{ ...send(secret), pieces: 8 }],
      ),
      accepts(
        'accepts a timestamp up to four minutes from its clock',
        'Allow five minutes in both directions, and check the clock of the receiver.',
        (secret) => [-240, 240].map((shift) => send(secret, {}, { shift })),
      ),
      accepts(
        'accepts either of two signatures during a rotation',
        'Accept any signature in webhook-signature, or in X-Service-Signature and -Previous.',
        (secret) => [
          send(secret, {}, { secrets: [secret, newSecret()] }),
          send(secret, {}, { secrets: [newSecret(), secret] }),
        ],
      ),
      accepts(
        'accepts an event again when it is retried or replayed',
        'Reply 2xx to an event id that you have already, and do not handle it again.',
        (secret) => {
          const event = createEvent('Sent three times')
          const body = JSON.stringify(event)
          return [1, 2, 3].map((attempt) =>
            signDelivery(event, body, { secrets: [secret], attempt }),
          )
        },
      ),
      accepts(
        'accepts an event that arrives five times at once',
        'Store the event id under a unique key, and treat a conflict as success.',
        (secret) => Array(5).fill(send(secret)),
        { atOnce: true },
      ),
      accepts(
        'accepts events out of order',
        'Reply 2xx to an older `sequence`, too; compare it with what you have to skip old data.',
        (secret) => [3, 1, 2].map((sequence) => send(secret, { sequence })),
      ),
    ],
  },
  {
    title: 'Forgeries and replays',
    checks: [
      refuses('refuses a changed body', VERIFY_FIRST, (secret) => {
        const delivery = send(secret)
        const text = delivery.body.toString()
        const changed = [text.replace('Check', 'check'), `${text} `, text.slice(0, -1)]
        return changed.map((body) => ({ ...delivery, body: Buffer.from(body) }))
      }),
      refuses('refuses a body that equals the signed one only as JSON', RAW_BYTES, (secret) => {
        const event = createEvent('Check the receiver')
        const signed = signDelivery(event, JSON.stringify(event), { secrets: [secret] })
        return [{ ...signed, body: Buffer.from(JSON.stringify(event, null, 2)) }]
      }),
      refuses('refuses signatures of other secrets', VERIFY_FIRST, () => [
        send(newSecret()),
        send('', {}, { secrets: [newSecret(), newSecret()] }),
      ]),
      refuses(
        'refuses a signature with an empty key',
        'Do not start without a secret: anybody can sign with an empty one.',
        () => [send('')],
      ),
      refuses('refuses a request without signatures', VERIFY_FIRST, (secret) => [
        withHeaders(send(secret), { 'webhook-signature': null, 'X-Service-Signature': null }),
        { ...send(secret), headers: { 'Content-Type': 'application/json' } },
      ]),
      refuses(
        'refuses a part of a signature',
        'Compare whole signatures in constant time, never as many characters as were sent.',
        (secret) => {
          const delivery = send(secret)
          const { 'webhook-signature': standard = '', 'X-Service-Signature': service = '' } =
            delivery.headers
          return [-4, 'v1,'.length, 0].map((end) =>
            withHeaders(delivery, {
              'webhook-signature': standard.slice(0, end),
              'X-Service-Signature': service.slice(0, end),
            }),
          )
        },
      ),
      refuses(
        'refuses a timestamp more than five minutes from its clock',
        'Verify webhook-signature, and compare webhook-timestamp with your clock.',
        (secret) => [-360, 360, -86_400].map((shift) => send(secret, {}, { shift })),
        { needs: STANDARD_SCHEME },
      ),
      refuses(
        'refuses an old request with a new timestamp or another id',
        'Sign `{webhook-id}.{webhook-timestamp}.{body}` with the values of the headers.',
        (secret) => {
          const old = send(secret, {}, { shift: -60 })
          const now = String(Math.floor(Date.now() / 1000))
          return [
            withHeaders(old, { 'webhook-timestamp': now }),
            withHeaders(old, { 'webhook-id': createEvent('').id }),
            withHeaders(old, { 'webhook-timestamp': 'now' }),
            withHeaders(old, { 'webhook-timestamp': null }),
          ]
        },
        { needs: STANDARD_SCHEME },
      ),
    ],
  },
  {
    title: 'Afterwards',
    checks: [
      accepts(
        'still accepts an event',
        'Let no refused request end the receiver or block its sender.',
        (secret) => [send(secret)],
      ),
    ],
  },
]
