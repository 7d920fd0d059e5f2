import type { LiveMessage } from './live-message.ts'

/** How far a tab has come: the id of its newest notice, and its place in the feed of changes. */
export interface LiveProgress {
  latestEventId: string
  position: string | undefined
}

/**
 * What a tab has missed before a message of the one with the connections, because it was still
 * loading or was suspended: changes since its place in the feed, or only notices.
 */
export function findMissed(
  own: LiveProgress,
  message: LiveMessage,
): 'changes' | 'notices' | undefined {
  if (isPast(own.position, message)) return 'changes'
  if ('state' in message && isLater(message.at, own.latestEventId)) return 'notices'
  if ('notice' in message && isLater(message.previous, own.latestEventId)) return 'notices'
  return undefined
}

/** Whether the feed had left a position before a message. A tab without one has read all of late. */
function isPast(own: string | undefined, message: LiveMessage): boolean {
  if (own === undefined) return false
  // The tab with the connections has no position while it begins anew, which it has announced.
  if ('state' in message) return message.position !== undefined && message.position !== own
  return 'changes' in message && message.previous !== own
}

/** Whether a notice came after another one. After a restart the server may count in another epoch. */
function isLater(id: string, own: string): boolean {
  const [epoch, number] = id.split('.')
  const [ownEpoch, ownNumber] = own.split('.')
  return epoch !== ownEpoch || Number(number) > Number(ownNumber)
}
