import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { AwsClient } from 'aws4fetch'
import { missingFileError, throwUnreadable } from './disk.ts'
import { rethrowUnavailable } from './draft.ts'
import { FILE_KEY, type FileStore } from './files.ts'

/** A bucket of an S3-compatible store. */
export interface S3Settings {
  /** Origin, such as `https://s3.eu-central-1.amazonaws.com`. */
  endpoint: string
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
}

/** Timeouts for a response to begin, and for a whole file to be uploaded. */
const RESPONSE_TIMEOUT_MS = 30_000
const UPLOAD_TIMEOUT_MS = 300_000

/** Stores files in a bucket under the same keys as on the disk; other objects are left alone. */
export function createS3Store({ endpoint, bucket, region, ...keys }: S3Settings): FileStore {
  const client = new AwsClient({ ...keys, region, service: 's3', retries: 0 })
  const at = (key: string) => `${endpoint}/${bucket}/${key}`

  return {
    put: (key, draft) => rethrowUnavailable(put(key, draft)),
    async read(key, size, { start, end }) {
      const headers = { range: `bytes=${start}-${end}` }
      const reply = await ask(at(key), { headers }, RESPONSE_TIMEOUT_MS).catch(throwUnreadable)
      const range = `bytes ${start}-${end}/${size}`
      if (reply.status === 206 && reply.headers.get('content-range') === range && reply.body) {
        // The same stream; its two type declarations are incompatible.
        return Readable.fromWeb(reply.body as ReadableStream)
      }
      await reply.body?.cancel()
      const reason = `${key}: ${reply.status} ${reply.headers.get('content-range')}`
      // A range beyond a shorter file is answered with 206 and another size, or 416.
      const isGone = [206, 404, 416].includes(reply.status)
      return throwUnreadable(isGone ? missingFileError(reason) : new Error(reason))
    },
    remove,
    async clear(workspace_id) {
      for await (const { key } of listKeys(`${workspace_id}/`)) await remove(key)
    },
    list: () => listKeys('wsp_'),
  }

  async function* listKeys(prefix: string) {
    for (let marker: string | undefined = prefix; marker !== undefined; ) {
      const query = new URLSearchParams({ prefix, marker })
      const reply = await ask(`${endpoint}/${bucket}?${query}`, {}, RESPONSE_TIMEOUT_MS)
      const text = await reply.text()
      if (!reply.ok) throw new Error(`The files cannot be listed: ${reply.status}`)
      const page = parseKeys(text)
      yield* page.filter(({ key, at }) => FILE_KEY.test(key) && at > 0)
      const isTruncated = text.includes('<IsTruncated>true<')
      marker = isTruncated ? page.at(-1)?.key : undefined
    }
  }

  async function remove(key: string): Promise<void> {
    const reply = await ask(at(key), { method: 'DELETE' }, RESPONSE_TIMEOUT_MS)
    await reply.body?.cancel()
    if (!reply.ok && reply.status !== 404) throw new Error(`DELETE ${key}: ${reply.status}`)
  }

  async function put(key: string, { path, size }: { path: string; size: number }): Promise<void> {
    const stream = createReadStream(path)
    // The digest of a stream is unknown beforehand; the row has one, which a download is checked
    // against.
    const headers = { 'content-length': `${size}`, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' }
    // One class with two type declarations: those of Node and of the DOM differ.
    const body = Readable.toWeb(stream) as unknown as BodyInit
    const init = { method: 'PUT', headers, body, duplex: 'half' } as const
    try {
      const reply = await ask(at(key), init, UPLOAD_TIMEOUT_MS)
      const answer = await reply.text()
      if (!reply.ok) throw new Error(`PUT ${key}: ${reply.status} ${answer.slice(0, 300)}`)
    } finally {
      stream.destroy()
    }
  }

  /** The timeout is for the response to begin: its body may take longer. */
  async function ask(url: string, init: RequestInit, ms: number): Promise<Response> {
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(new Error('The store is silent')), ms)
    try {
      return await client.fetch(url, { ...init, signal: controller.signal })
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Our keys contain nothing that XML would escape. */
function parseKeys(xml: string): { key: string; at: number }[] {
  return [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].map(([, contents = '']) => ({
    key: /<Key>([^<]*)</.exec(contents)?.[1] ?? '',
    at: Date.parse(/<LastModified>([^<]*)</.exec(contents)?.[1] ?? ''),
  }))
}
