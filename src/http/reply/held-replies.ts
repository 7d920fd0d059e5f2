import type { ServerResponse } from 'node:http'

/** As soon as this many are held, they leave: until the end of a turn with many requests it may take long. */
const MAX_HELD_REPLIES = 16

interface HeldReply {
  outgoing: ServerResponse
  bytes: string | Buffer
  encoding: BufferEncoding
}

let heldReplies: HeldReply[] = []

/**
 * Ends a reply at the end of the turn of the event loop, together with the others of the turn. To
 * wake a client up costs more than the rest of writing to its socket; while a server writes several
 * replies in a row, a client of many connections is awake after the first one.
 */
export function endAfterTurn(
  outgoing: ServerResponse,
  bytes: string | Buffer,
  encoding: BufferEncoding,
): void {
  if (heldReplies.length === 0) setImmediate(endHeldReplies)
  heldReplies.push({ outgoing, bytes, encoding })
  if (heldReplies.length >= MAX_HELD_REPLIES) endHeldReplies()
}

function endHeldReplies(): void {
  const replies = heldReplies
  heldReplies = []
  for (const { outgoing, bytes, encoding } of replies) outgoing.end(bytes, encoding)
}
