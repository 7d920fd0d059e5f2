/** A delivery as the listener received it. */
export interface ReceivedDelivery {
  /** The event; null if the body is not one. */
  event: object | null
  /** By name in lower case. */
  headers: Record<string, string>
  /** Whether the signatures are valid. */
  verified: boolean
  /** The response status of the forward address; null without an address or a response. */
  forwarded_status: number | null
}

const MAX_NAME_LENGTH = 60
/** The fields that can hold the name of a record, by preference. */
const NAME_FIELDS = ['title', 'name', 'filename', 'body'] as const

/** Formats a delivery as a line. `isForwarding` says whether the listener has a forward address. */
export function formatDelivery(delivery: ReceivedDelivery, isForwarding: boolean): string {
  const { event, headers, verified, forwarded_status } = delivery
  const forwardResult = forwarded_status === null ? 'not reached' : String(forwarded_status)
  const words = [
    new Date().toISOString().slice(11, 23),
    headers['x-service-event'] ?? 'no event',
    ...describeRecord(event),
    headers['x-service-delivery'] ?? '',
    `attempt ${headers['x-service-attempt'] ?? '?'}`,
    verified ? 'verified' : 'NOT VERIFIED',
    isForwarding ? `→ ${forwardResult}` : '',
  ]
  // Any program on this machine can post here, so control characters must not reach the terminal.
  return words
    .filter((word) => word !== '')
    .join('  ')
    .replaceAll(/\p{C}/gu, '·')
}

function describeRecord(event: object | null): string[] {
  if (!event || !('data' in event) || typeof event.data !== 'object' || !event.data) return []
  const data = event.data as Record<string, unknown>
  const name = NAME_FIELDS.map((one) => data[one]).find((value) => typeof value === 'string')
  return [data.short_id, name]
    .filter((value) => typeof value === 'string')
    .map((value) => (value.split('\n')[0] ?? '').slice(0, MAX_NAME_LENGTH))
}
