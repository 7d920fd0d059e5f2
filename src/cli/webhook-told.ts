/** A post that a listener got. */
export interface Told {
  /** The envelope; null where it is none. */
  event: object | null
  /** By names in lower case. */
  headers: Record<string, string>
  /** Whether its signatures hold. */
  verified: boolean
  /** The status that the other address answered; null where it did not, or there is none. */
  forwarded_status: number | null
}

const MOST_CHARACTERS = 60
/** What a record is called, whichever kind it is of. */
const NAMES = ['title', 'name', 'filename', 'body'] as const

/** A post as a line for people; `forwards` tells whether it was sent on. */
export function lineOf(told: Told, forwards: boolean): string {
  const { headers, verified, forwarded_status } = told
  const answer = forwarded_status === null ? 'not reached' : String(forwarded_status)
  const words = [
    new Date().toISOString().slice(11, 23),
    headers['x-service-event'] ?? 'no event',
    ...namesIn(told.event),
    headers['x-service-delivery'] ?? '',
    `attempt ${headers['x-service-attempt'] ?? '?'}`,
    verified ? 'verified' : 'NOT VERIFIED',
    forwards ? `→ ${answer}` : '',
  ]
  // Anybody on this machine may post: nothing of it steers the terminal.
  return words
    .filter((word) => word !== '')
    .join('  ')
    .replaceAll(/\p{C}/gu, '·')
}

function namesIn(event: object | null): string[] {
  if (!event || !('data' in event) || typeof event.data !== 'object' || !event.data) return []
  const data = event.data as Record<string, unknown>
  const name = NAMES.map((one) => data[one]).find((value) => typeof value === 'string')
  return [data.short_id, name]
    .filter((value) => typeof value === 'string')
    .map((value) => (value.split('\n')[0] ?? '').slice(0, MOST_CHARACTERS))
}
