import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { AwsClient } from 'aws4fetch'
import { lost, missing } from './disk.ts'
import { told } from './draft.ts'
import { type Blobs, KEY } from './files.ts'

/** A bucket of a store that speaks as S3 does. */
export interface S3 {
  /** Origin, such as `https://s3.eu-central-1.amazonaws.com`. */
  endpoint: string
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
}

/** For an answer to begin, and for a whole file to be taken. */
const ANSWER_MS = 30_000
const PUT_MS = 300_000

/** Files in a bucket, under the same keys as on the disk; what else lies there is left alone. */
export function inBucket({ endpoint, bucket, region, ...keys }: S3): Blobs {
  const client = new AwsClient({ ...keys, region, service: 's3', retries: 0 })
  const at = (key: string) => `${endpoint}/${bucket}/${key}`

  return {
    put: (key, draft) => told(put(key, draft)),
    async read(key, size, { start, end }) {
      const headers = { range: `bytes=${start}-${end}` }
      const reply = await ask(at(key), { headers }, ANSWER_MS).catch(lost)
      const range = `bytes ${start}-${end}/${size}`
      if (reply.status === 206 && reply.headers.get('content-range') === range && reply.body) {
        // The same stream; the two declarations of it are not of one mind.
        return Readable.fromWeb(reply.body as ReadableStream)
      }
      await reply.body?.cancel()
      const why = `${key}: ${reply.status} ${reply.headers.get('content-range')}`
      // The range of a shorter one is answered 206 with another size, or 416.
      const isGone = [206, 404, 416].includes(reply.status)
      return lost(isGone ? missing(why) : new Error(why))
    },
    remove,
    async clear(workspace_id) {
      for await (const { key } of listed(`${workspace_id}/`)) await remove(key)
    },
    list: () => listed('wsp_'),
  }

  async function* listed(prefix: string) {
    for (let marker: string | undefined = prefix; marker !== undefined; ) {
      const query = new URLSearchParams({ prefix, marker })
      const reply = await ask(`${endpoint}/${bucket}?${query}`, {}, ANSWER_MS)
      const text = await reply.text()
      if (!reply.ok) throw new Error(`The files cannot be listed: ${reply.status}`)
      const page = keysIn(text)
      yield* page.filter(({ key, at }) => KEY.test(key) && at > 0)
      const isCut = text.includes('<IsTruncated>true<')
      marker = isCut ? page.at(-1)?.key : undefined
    }
  }

  async function remove(key: string): Promise<void> {
    const reply = await ask(at(key), { method: 'DELETE' }, ANSWER_MS)
    await reply.body?.cancel()
    if (!reply.ok && reply.status !== 404) throw new Error(`DELETE ${key}: ${reply.status}`)
  }

  async function put(key: string, { path, size }: { path: string; size: number }): Promise<void> {
    const stream = createReadStream(path)
    // Of a stream no digest is known beforehand: the row has one, and a download is held against it.
    const headers = { 'content-length': `${size}`, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' }
    // One class, declared twice: Node's own typings and those of the web differ in it.
    const body = Readable.toWeb(stream) as unknown as BodyInit
    const asked = { method: 'PUT', headers, body, duplex: 'half' } as const
    try {
      const reply = await ask(at(key), asked, PUT_MS)
      const said = await reply.text()
      if (!reply.ok) throw new Error(`PUT ${key}: ${reply.status} ${said.slice(0, 300)}`)
    } finally {
      stream.destroy()
    }
  }

  /** The time is for the answer to begin: what it brings may take longer. */
  async function ask(url: string, asked: RequestInit, ms: number): Promise<Response> {
    const patience = new AbortController()
    const timer = setTimeout(() => patience.abort(new Error('The store is silent')), ms)
    try {
      return await client.fetch(url, { ...asked, signal: patience.signal })
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Our keys hold nothing that XML would have to escape. */
function keysIn(xml: string): { key: string; at: number }[] {
  return [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].map(([, contents = '']) => ({
    key: /<Key>([^<]*)</.exec(contents)?.[1] ?? '',
    at: Date.parse(/<LastModified>([^<]*)</.exec(contents)?.[1] ?? ''),
  }))
}
