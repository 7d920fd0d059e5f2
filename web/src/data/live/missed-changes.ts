import { parsePosition } from './feed-position.ts'
import type { LiveMessage } from './live-message.ts'

/**
 * Whether the feed had left the position of a tab before a message of the one with the connection, because
 * it was still loading or was suspended. One without a position has read all of late.
 */
export function hasMissedChanges(own: string | undefined, message: LiveMessage): boolean {
  const start =
    'state' in message
      ? message.position
      : 'changes' in message
        ? (message.previous ?? message.position)
        : undefined
  if (own === undefined || start === undefined) return false
  const [reached, left] = [parsePosition(own), parsePosition(start)]
  return reached.history !== left.history || reached.n < left.n
}
