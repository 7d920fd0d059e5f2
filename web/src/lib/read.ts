import { type Kept, keepReplies, recall } from './kept-replies.ts'
import { Unreachable } from './problem.ts'
import { reach } from './reach.ts'

/** What is worth reading without a network: work; nothing of keys and people, nor what was looked for. */
const WORTH = /^\/internal\/(tasks\/|templates)|^\/api\/v1\/(tasks|projects)(?!.*[?&]q=)/

/** A reply to a GET; without a network the one that this browser kept, if it has one. */
export async function read(url: string, init: RequestInit): Promise<Response> {
  if (!WORTH.test(url)) return reach(url, init)
  const reply = await orKept(reach(url, init), url)
  if (!(reply instanceof Response)) return new Response(reply.text)
  if (reply.ok) {
    const copy = reply.clone()
    // A copy that is cut is no reply either: who reads it is told.
    copy.text().then(
      (text) => keepReplies([[url, text]]),
      () => undefined,
    )
  }
  return reply
}

/** What comes, or what is kept under a name where the server cannot be reached. */
export async function orKept(reply: Promise<Response>, name: string): Promise<Response | Kept> {
  try {
    return await reply
  } catch (error) {
    const kept = error instanceof Unreachable ? await recall(name) : undefined
    if (!kept) throw error
    return kept
  }
}
