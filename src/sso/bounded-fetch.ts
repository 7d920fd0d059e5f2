import type { CustomFetch } from 'openid-client'

const MAX_RESPONSE_BYTES = 1_000_000

/** The provider did not respond, or its response cannot be used. */
export class SsoProviderUnreachableError extends Error {}

/** Calls the provider without following redirects, and limits the size of the response. */
export const boundedFetch: CustomFetch = async (url, options) => {
  let response: Response
  let text: string
  try {
    response = await fetch(url, { ...options, redirect: 'manual' } as RequestInit)
    text = await readText(response)
  } catch (cause) {
    throw new SsoProviderUnreachableError('The provider does not answer.', { cause })
  }
  if (response.status >= 500)
    throw new SsoProviderUnreachableError(`The provider answers ${response.status}.`)
  const body = response.status === 204 || response.status === 304 ? null : text
  return new Response(body, { status: response.status, headers: response.headers })
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_RESPONSE_BYTES)
      throw new Error(`The answer has more than ${MAX_RESPONSE_BYTES} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Whether the provider could not be reached. The library wraps our errors in its own. */
export function isSsoProviderUnreachable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof SsoProviderUnreachableError) return true
  }
  return false
}
