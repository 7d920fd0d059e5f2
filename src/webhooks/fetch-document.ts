import { Client } from 'undici'
import type { NetworkAllowlist } from '#lib/ip-address.ts'
import {
  areAddressesAllowed,
  createPinnedConnector,
  limitLookups,
  parseDestination,
  type ResolveHostname,
  resolveWithSystem,
} from './sender.ts'

const MAX_DOCUMENT_BYTES = 65_536
const TIMEOUT_MS = 5_000

/** Reads a JSON document that a stranger has named; undefined if that is not possible. */
export type FetchDocument = (url: string) => Promise<unknown>

/**
 * Creates a function that reads JSON documents from where webhooks may go and from nowhere else
 * (docs/spec/api.md#where-webhooks-may-go). It follows no redirects, and says nothing of why it has failed: the answer
 * would describe the network of the operator.
 */
export function createDocumentFetcher(
  targets: NetworkAllowlist,
  resolve: ResolveHostname = resolveWithSystem,
): FetchDocument {
  const resolveLimited = limitLookups(resolve, TIMEOUT_MS)

  async function read(url: string): Promise<unknown> {
    const target = parseDestination(url, targets)
    if (!target) return undefined
    const addresses = target.addresses ?? (await resolveLimited(target.hostname))
    if (addresses.length === 0 || !areAddressesAllowed(addresses, target.reachable))
      return undefined
    const client = new Client(target.origin, {
      allowH2: false,
      connect: createPinnedConnector(target, addresses, TIMEOUT_MS),
    })
    try {
      const { statusCode, body } = await client.request({
        method: 'GET',
        path: target.path,
        headers: { accept: 'application/json', 'user-agent': 'Docket' },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      return statusCode === 200 ? JSON.parse(await readText(body)) : undefined
    } finally {
      void client.destroy()
    }
  }

  return (url) => read(url).catch(() => undefined)
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > MAX_DOCUMENT_BYTES) throw new Error('The document is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
