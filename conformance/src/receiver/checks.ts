import { type CheckGroup, type ConformanceCheck, expectTrue } from '../check.ts'
import {
  createEvent,
  type Delivery,
  newSecret,
  type ReceiverSubject,
  type Signature,
  signDelivery,
} from './delivery.ts'

/** What is sent in a check, and whether each delivery of it must be accepted or refused. */
interface ReceiverCheck {
  name: string
  advice: string
  /** Only a receiver that checks `webhook-signature` can keep the promise. */
  needsTimestamp?: true
  deliveries(secret: string): Delivery[]
  /** Whether they are sent at the same time instead of one after another. */
  isConcurrent?: true
}

/** The limit of an event (docs/spec/api.md#event-envelope). */
const MAX_EVENT_BYTES = 2 ** 20
const WINDOW_SECONDS = 300

/** An event as Docket sends it, signed with the secret unless `signature` says otherwise. */
function sendEvent(
  secret: string,
  more: Record<string, unknown> = {},
  signature: Partial<Signature> = {},
): Delivery {
  const event = createEvent('Check the receiver', more)
  return signDelivery(event, JSON.stringify(event), { secrets: [secret], ...signature })
}

/** The same delivery with other headers; `undefined` leaves one out. */
function withHeaders(delivery: Delivery, changes: Record<string, string | undefined>): Delivery {
  const headers = Object.entries({ ...delivery.headers, ...changes })
  const kept = headers.filter((one): one is [string, string] => one[1] !== undefined)
  return { ...delivery, headers: Object.fromEntries(kept) }
}

/** JSON as no serializer writes it: white space, an escaped letter, an exponent, raw Unicode. */
const writeOddly = (event: ReturnType<typeof createEvent>): string =>
  `\r\n${JSON.stringify(event)}\r\n\t `
    .replaceAll(':null', ' :\tnull')
    .replaceAll('Check', '\\u0043heck')
    .replace('"sequence":1', '"sequence" : 0.10e1')

const REFUSE =
  'Verify the signature over the raw body before anything else, and reply 401 if it does not match.'

const GENUINE: readonly ReceiverCheck[] = [
  {
    name: 'accepts an event',
    advice: 'Check that the receiver has this secret, and that the URL has the right path.',
    deliveries: (secret) => [sendEvent(secret)],
  },
  {
    name: 'accepts a test event, which has no sequence and no data',
    advice: 'Let `sequence` be null and `data` be empty in events of the type webhook.test.',
    deliveries: (secret) => [
      sendEvent(secret, { type: 'webhook.test', sequence: null, data: {}, changes: {} }),
    ],
  },
  {
    name: 'accepts an event of an unknown type with unknown members',
    advice:
      'Reply 2xx to types that you do not handle, and ignore unknown members: both may be added.',
    deliveries: (secret) => [sendEvent(secret, { type: 'task.invented', invented: { by: [1] } })],
  },
  {
    name: 'accepts a body with unusual white space, escapes and characters',
    advice: 'Compute the signature over the bytes as received, not over JSON that you wrote again.',
    deliveries(secret) {
      const event = createEvent('Check Café ☕ 日本 👩‍🚀 e\u0301 \u202e \u2028')
      return [signDelivery(event, writeOddly(event), { secrets: [secret] })]
    },
  },
  {
    name: 'accepts a body of 1 MiB',
    advice: 'Raise the limit of the body, also in proxies, to 1,048,576 bytes.',
    deliveries(secret) {
      const event = createEvent('Check the receiver')
      const write = (description: string) =>
        JSON.stringify({ ...event, data: { ...event.data, description } })
      const body = write('x'.repeat(MAX_EVENT_BYTES - write('').length))
      return [signDelivery(event, body, { secrets: [secret] })]
    },
  },
  {
    name: 'accepts a body that arrives slowly',
    advice: 'Read the body to its end before you verify it, however many pieces it comes in.',
    deliveries: (secret) => [{ ...sendEvent(secret), pieces: 8 }],
  },
  {
    name: 'accepts a timestamp up to four minutes from its clock',
    advice: 'Allow five minutes in both directions, and check the clock of the receiver.',
    deliveries: (secret) => [-240, 240].map((shift) => sendEvent(secret, {}, { shift })),
  },
  {
    name: 'accepts either of two signatures during a rotation',
    advice:
      'Split webhook-signature at spaces and accept if any of them matches; X-Service-Signature-Previous likewise.',
    deliveries: (secret) => [
      sendEvent(secret, {}, { secrets: [secret, newSecret()] }),
      sendEvent(secret, {}, { secrets: [newSecret(), secret] }),
    ],
  },
  {
    name: 'accepts an event again when it is retried or replayed',
    advice: 'Reply 2xx to an event id that you have already, and do not handle it again.',
    deliveries(secret) {
      const event = createEvent('Sent three times')
      const body = JSON.stringify(event)
      return [1, 2, 3].map((attempt) => signDelivery(event, body, { secrets: [secret], attempt }))
    },
  },
  {
    name: 'accepts an event that arrives five times at once',
    advice: 'Store the event id under a unique key, and treat a conflict as success.',
    isConcurrent: true,
    deliveries(secret) {
      const delivery = sendEvent(secret)
      return Array.from({ length: 5 }, () => delivery)
    },
  },
  {
    name: 'accepts events out of order',
    advice:
      'Reply 2xx to an older `sequence` too; compare it with what you have stored to skip old data.',
    deliveries: (secret) => [3, 1, 2].map((sequence) => sendEvent(secret, { sequence })),
  },
]

const FORGED: readonly ReceiverCheck[] = [
  {
    name: 'refuses a changed body',
    advice: REFUSE,
    deliveries(secret) {
      const delivery = sendEvent(secret)
      const text = delivery.body.toString()
      const changed = [text.replace('Check', 'check'), `${text} `, text.slice(0, -1)]
      return changed.map((body) => ({ ...delivery, body: Buffer.from(body) }))
    },
  },
  {
    name: 'refuses a body that equals the signed one only as JSON',
    advice: 'Compute the signature over the bytes as received, not over JSON that you wrote again.',
    deliveries(secret) {
      const event = createEvent('Check the receiver')
      const signed = signDelivery(event, JSON.stringify(event), { secrets: [secret] })
      return [{ ...signed, body: Buffer.from(JSON.stringify(event, null, 2)) }]
    },
  },
  {
    name: 'refuses signatures of other secrets',
    advice: REFUSE,
    deliveries: (secret) => [
      sendEvent(newSecret()),
      sendEvent(secret, {}, { secrets: [newSecret(), newSecret()] }),
    ],
  },
  {
    name: 'refuses a signature with an empty key',
    advice: 'Do not start without a secret: anybody can sign with an empty one.',
    deliveries: () => [sendEvent('')],
  },
  {
    name: 'refuses a request without signatures',
    advice: REFUSE,
    deliveries(secret) {
      const delivery = sendEvent(secret)
      const unsigned = { 'webhook-signature': undefined, 'X-Service-Signature': undefined }
      const bare = { ...delivery, headers: { 'Content-Type': 'application/json' } }
      return [withHeaders(delivery, unsigned), bare]
    },
  },
  {
    name: 'refuses a part of a signature',
    advice: 'Compare whole signatures in constant time, and never as many characters as were sent.',
    deliveries(secret) {
      const delivery = sendEvent(secret)
      const { headers } = delivery
      const { 'webhook-signature': standard = '', 'X-Service-Signature': service = '' } = headers
      return [-4, 'v1,'.length, 0].map((end) =>
        withHeaders(delivery, {
          'webhook-signature': standard.slice(0, end),
          'X-Service-Signature': service.slice(0, end),
        }),
      )
    },
  },
  {
    name: 'refuses a timestamp more than five minutes from its clock',
    advice:
      'Verify webhook-signature and compare webhook-timestamp with your clock: old requests can be replayed.',
    needsTimestamp: true,
    deliveries: (secret) =>
      [-WINDOW_SECONDS - 60, WINDOW_SECONDS + 60, -86_400].map((shift) =>
        sendEvent(secret, {}, { shift }),
      ),
  },
  {
    name: 'refuses an old request with a new timestamp or another id',
    advice:
      'Sign `{webhook-id}.{webhook-timestamp}.{body}`, with the values of the headers, and compare.',
    needsTimestamp: true,
    deliveries(secret) {
      const old = sendEvent(secret, {}, { shift: -60 })
      const now = String(Math.floor(Date.now() / 1000))
      return [
        withHeaders(old, { 'webhook-timestamp': now }),
        withHeaders(old, { 'webhook-id': createEvent('').id }),
        withHeaders(old, { 'webhook-timestamp': 'now' }),
        withHeaders(old, { 'webhook-timestamp': undefined }),
      ]
    },
  },
]

const AFTERWARDS: readonly ReceiverCheck[] = [
  {
    name: 'still accepts an event',
    advice: 'Let no refused request end the receiver or block its sender.',
    deliveries: (secret) => [sendEvent(secret)],
  },
]

/** A 2xx: Docket counts the delivery as successful. */
const isAccepted = (status: number): boolean => status >= 200 && status < 300

/** 410 would disable the webhook, and anybody could send that request. */
const isRefused = (status: number): boolean => status >= 400 && status < 500 && status !== 410

type Expectation = readonly [isExpected: (status: number) => boolean, description: string]
const ACCEPTED: Expectation = [isAccepted, 'status 2xx']
const REFUSED: Expectation = [isRefused, 'status 4xx other than 410']

/** The option with which the checks of timestamps run. */
export const STANDARD_SCHEME = '--scheme standard'

const toCheck =
  ([isExpected, expected]: Expectation) =>
  (check: ReceiverCheck): ConformanceCheck<ReceiverSubject> => ({
    name: check.name,
    advice: check.advice,
    ...(check.needsTimestamp && { needs: STANDARD_SCHEME }),
    async run({ secret, send, exchanges }) {
      const deliveries = check.deliveries(secret)
      const statuses: number[] = []
      if (check.isConcurrent) statuses.push(...(await Promise.all(deliveries.map(send))))
      else for (const one of deliveries) statuses.push(await send(one))
      for (const [at, status] of statuses.entries()) {
        const which = deliveries.length > 1 ? ` to request ${at + 1} of ${deliveries.length}` : ''
        expectTrue(isExpected(status), `${expected}${which}`, status, exchanges[at])
      }
      return statuses.join(', ')
    },
  })

/** The checks of a receiver. */
export const RECEIVER_CHECKS: readonly CheckGroup<ReceiverSubject>[] = [
  { title: 'Genuine deliveries', checks: GENUINE.map(toCheck(ACCEPTED)) },
  { title: 'Forgeries and replays', checks: FORGED.map(toCheck(REFUSED)) },
  { title: 'Afterwards', checks: AFTERWARDS.map(toCheck(ACCEPTED)) },
]
