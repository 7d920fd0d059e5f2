import type { TraceRecorder, TraceSpan } from '#core/trace-recorder.ts'
import type { WebhookRequest, WebhookSender } from './sender.ts'

/** The operation id of the envelope, which comes before any user text (docs/spec/api.md#event-envelope). */
const OPERATION = /"operation_id":"(\w+)"/
const HEAD_CHARS = 500

/**
 * Wraps a sender so that each attempt is a span, in the trace of the request that caused its event
 * if that is still in memory. No trace header is sent to the receiver.
 */
export function traceSender({ send, close }: WebhookSender, traces: TraceRecorder): WebhookSender {
  return {
    close,
    send(post) {
      const [, operation_id] = OPERATION.exec(post.body.slice(0, HEAD_CHARS)) ?? []
      const options = { name: 'POST webhook', attributes: spanAttributes(post), isClient: true }
      return traces.runInNewTrace(options, (span) => recordResult(send(post), span), operation_id)
    },
  }
}

/** Only the host of the URL: its path may be a secret of the receiver. */
function spanAttributes({ url, headers }: WebhookRequest) {
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

async function recordResult(
  pendingResult: ReturnType<WebhookSender['send']>,
  span: TraceSpan | undefined,
) {
  const result = await pendingResult
  const { status, error } = result
  if (status !== null) span?.set({ 'http.response.status_code': status })
  if (error !== null) span?.end(error)
  return result
}
