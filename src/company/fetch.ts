import type { CustomFetch } from 'openid-client'

const MOST_BYTES = 1_000_000

/** The provider gave no answer, or none that can be used. */
export class Unreached extends Error {}

/** Asks the provider: never elsewhere by its word, and no more of an answer than fits. */
export const boundedFetch: CustomFetch = async (url, options) => {
  let reply: Response
  let text: string
  try {
    reply = await fetch(url, { ...options, redirect: 'manual' } as RequestInit)
    text = await textOf(reply)
  } catch (cause) {
    throw new Unreached('The provider does not answer.', { cause })
  }
  if (reply.status >= 500) throw new Unreached(`The provider answers ${reply.status}.`)
  const body = reply.status === 204 || reply.status === 304 ? null : text
  return new Response(body, { status: reply.status, headers: reply.headers })
}

async function textOf(reply: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of reply.body ?? []) {
    bytes += chunk.length
    if (bytes > MOST_BYTES) throw new Error(`The answer has more than ${MOST_BYTES} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Whether it went wrong because the provider was not reached: errors of the library wrap ours. */
export function isUnreached(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (one instanceof Unreached || one.name === 'TimeoutError') return true
  }
  return false
}
