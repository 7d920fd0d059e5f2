import type { Span, Traces } from '#core/traces.ts'
import type { Post, Sender } from './send.ts'

/** Where the envelope names its operation, before anything that people have written (contract 8.1). */
const OPERATION = /"operation_id":"(\w+)"/
const HEAD = 500

/**
 * The same sender, each attempt of which is a span: in the trace of the request that caused its event,
 * if that is remembered. What is sent is the same: a receiver is told of no trace.
 */
export function traced({ send, close }: Sender, traces: Traces): Sender {
  return {
    close,
    send(post) {
      const [, operation_id] = OPERATION.exec(post.body.slice(0, HEAD)) ?? []
      const doing = { name: 'POST webhook', attributes: attributesOf(post), isClient: true }
      return traces.apart(doing, (span) => told(send(post), span), operation_id)
    },
  }
}

/** Of the address only the host: what follows it may be a secret of the receiver's. */
function attributesOf({ url, headers }: Post) {
  const { hostname = '', port = '', protocol = '' } = URL.parse(url) ?? {}
  return {
    'http.request.method': 'POST',
    'server.address': hostname,
    'server.port': port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port),
    'docket.delivery_id': headers['X-Service-Delivery'] ?? '',
    'docket.event_type': headers['X-Service-Event'] ?? '',
    'docket.attempt': Number(headers['X-Service-Attempt']),
  }
}

async function told(sent: ReturnType<Sender['send']>, span: Span | undefined) {
  const reception = await sent
  const { status, error } = reception
  if (status !== null) span?.set({ 'http.response.status_code': status })
  if (error !== null) span?.end(error)
  return reception
}
