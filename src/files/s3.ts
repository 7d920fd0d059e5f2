import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { missingFileError, rethrowUnavailable, throwUnreadable } from './disk.ts'
import { FILE_KEY, type FileStore } from './files.ts'
import type { S3Settings } from './s3-settings.ts'

/** An object of a bucket. */
interface S3Object {
  key: string
  /** When it was stored, in milliseconds since 1970. */
  at: number
}

/** Requests to one bucket. Keys must contain nothing that a URL or XML would escape. */
interface S3Client {
  /** Sends a request about an object. The timeout is for the response to begin. */
  request(key: string, init?: RequestInit): Promise<Response>
  /** Uploads a whole file; a large one in parts. It is durable when this resolves. */
  put(key: string, file: { path: string; size: number }): Promise<void>
  /** Deletes an object; a missing one is not an error. */
  remove(key: string): Promise<void>
  /** Lists the objects under a prefix. */
  list(prefix: string): AsyncGenerator<S3Object>
  /** Lists the names that follow a prefix up to the next slash. */
  listDirectories(prefix: string): Promise<string[]>
}

/** Timeouts for a response to begin, and for a file or a part of it to be uploaded. */
const RESPONSE_TIMEOUT_MS = 30_000
const UPLOAD_TIMEOUT_MS = 300_000
/** A single upload has at most 5 GB, and one in parts at most 10,000 of them. */
const MAX_SINGLE_BYTES = 128 * 2 ** 20
const MAX_PARTS = 10_000

/** The same stream as the body of a response; its two type declarations are incompatible. */
export const toNodeStream = (body: NonNullable<Response['body']>): Readable =>
  Readable.fromWeb(body as ReadableStream)

/** Creates a client. `maxSingleBytes` is the size from which a file is uploaded in parts. */
export function createS3Client(
  { endpoint, bucket, region, ...keys }: S3Settings,
  maxSingleBytes = MAX_SINGLE_BYTES,
): S3Client {
  const loading = import('aws4fetch').then(
    ({ AwsClient }) => new AwsClient({ ...keys, region, service: 's3', retries: 0 }),
  )
  const at = (key: string) => `${endpoint}/${bucket}/${key}`

  return {
    request: (key, init = {}) => ask(at(key), init, RESPONSE_TIMEOUT_MS),
    async put(key, file) {
      if (file.size <= maxSingleBytes) await upload(key, file, 0, file.size)
      else await uploadInParts(key, file)
    },
    async remove(key) {
      const reply = await ask(at(key), { method: 'DELETE' }, RESPONSE_TIMEOUT_MS)
      await reply.body?.cancel()
      if (!reply.ok && reply.status !== 404) throw new Error(`DELETE ${key}: ${reply.status}`)
    },
    async *list(prefix) {
      for (let marker: string | undefined = prefix; marker !== undefined; ) {
        const text = await listPage({ prefix, marker })
        const page = parseObjects(text)
        yield* page
        marker = isTruncated(text) ? page.at(-1)?.key : undefined
      }
    },
    async listDirectories(prefix) {
      const names: string[] = []
      for (let marker: string | undefined = ''; marker !== undefined; ) {
        const text = await listPage({ prefix, delimiter: '/', marker })
        const paths = [...text.matchAll(/<CommonPrefixes>\s*<Prefix>([^<]*)</g)]
        for (const [, path = ''] of paths) names.push(path.slice(prefix.length, -1))
        const next = /<NextMarker>([^<]*)</.exec(text)?.[1]
        marker = isTruncated(text) ? next : undefined
      }
      return names
    },
  }

  async function listPage(query: Record<string, string>): Promise<string> {
    const url = `${endpoint}/${bucket}?${new URLSearchParams(query)}`
    const reply = await ask(url, {}, RESPONSE_TIMEOUT_MS)
    const text = await reply.text()
    if (!reply.ok) throw new Error(`The files cannot be listed: ${reply.status}`)
    return text
  }

  /** Uploads some bytes of a file. Returns the ETag of what was stored. */
  async function upload(
    target: string,
    { path }: { path: string },
    start: number,
    end: number,
  ): Promise<string> {
    // An empty range cannot be read as one.
    const stream = end > start ? createReadStream(path, { start, end: end - 1 }) : Readable.from([])
    // The digest of a stream is unknown beforehand; readers compare one that was stored elsewhere.
    const headers = {
      'content-length': `${end - start}`,
      'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
    }
    // One class with two type declarations: those of Node and of the DOM differ. A Blob of the file
    // has only one, but would be read faster than it is sent, so that memory holds the whole file.
    const body = Readable.toWeb(stream) as unknown as BodyInit
    const init = { method: 'PUT', headers, body, duplex: 'half' } as const
    try {
      const reply = await ask(at(target), init, UPLOAD_TIMEOUT_MS)
      await assertOk(reply, `PUT ${target}`)
      return reply.headers.get('etag') ?? ''
    } finally {
      stream.destroy()
    }
  }

  async function uploadInParts(key: string, file: { path: string; size: number }): Promise<void> {
    const created = await ask(at(`${key}?uploads`), { method: 'POST' }, RESPONSE_TIMEOUT_MS)
    const id = /<UploadId>([^<]+)</.exec(await assertOk(created, `POST ${key}`))?.[1] ?? ''
    const query = `uploadId=${encodeURIComponent(id)}`
    const partBytes = Math.max(maxSingleBytes, Math.ceil(file.size / MAX_PARTS))
    try {
      const parts: string[] = []
      for (let start = 0; start < file.size; start += partBytes) {
        const end = Math.min(file.size, start + partBytes)
        const number = parts.length + 1
        const etag = await upload(`${key}?partNumber=${number}&${query}`, file, start, end)
        parts.push(`<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`)
      }
      const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
      const reply = await ask(at(`${key}?${query}`), { method: 'POST', body }, UPLOAD_TIMEOUT_MS)
      // The store may answer 200 before it knows, and report the error in the body.
      const text = await assertOk(reply, `POST ${key}`)
      if (text.includes('<Error>')) throw new Error(`POST ${key}: ${text.slice(0, 300)}`)
    } catch (error) {
      // Parts of an upload that is neither completed nor aborted are kept and paid for.
      const aborted = await ask(at(`${key}?${query}`), { method: 'DELETE' }, RESPONSE_TIMEOUT_MS)
      await aborted.body?.cancel()
      throw error
    }
  }

  async function ask(url: string, init: RequestInit, ms: number): Promise<Response> {
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(new Error('The store is silent')), ms)
    try {
      return await (await loading).fetch(url, { ...init, signal: controller.signal })
    } finally {
      clearTimeout(timer)
    }
  }
}

async function assertOk(reply: Response, what: string): Promise<string> {
  const answer = await reply.text()
  if (!reply.ok) throw new Error(`${what}: ${reply.status} ${answer.slice(0, 300)}`)
  return answer
}

const isTruncated = (xml: string): boolean => xml.includes('<IsTruncated>true<')

const parseObjects = (xml: string): S3Object[] =>
  [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].map(([, contents = '']) => ({
    key: /<Key>([^<]*)</.exec(contents)?.[1] ?? '',
    at: Date.parse(/<LastModified>([^<]*)</.exec(contents)?.[1] ?? ''),
  }))

/** Stores files in a bucket under the same keys as on the disk; other objects are left alone. */
export function createS3Store(settings: S3Settings): FileStore {
  const client = createS3Client(settings)

  return {
    put: (key, draft) => rethrowUnavailable(client.put(key, draft)),
    async read(key, size, { start, end }) {
      const headers = { range: `bytes=${start}-${end}` }
      const reply = await client.request(key, { headers }).catch(throwUnreadable)
      const range = `bytes ${start}-${end}/${size}`
      if (reply.status === 206 && reply.headers.get('content-range') === range && reply.body) {
        return toNodeStream(reply.body)
      }
      await reply.body?.cancel()
      const reason = `${key}: ${reply.status} ${reply.headers.get('content-range')}`
      // A range beyond a shorter file is answered with 206 and another size, or 416.
      const isGone = [206, 404, 416].includes(reply.status)
      return throwUnreadable(isGone ? missingFileError(reason) : new Error(reason))
    },
    remove: client.remove,
    async clear(workspace_id) {
      for await (const { key } of listKeys(`${workspace_id}/`)) await client.remove(key)
    },
    list: () => listKeys('wsp_'),
  }

  async function* listKeys(prefix: string) {
    for await (const object of client.list(prefix)) {
      if (FILE_KEY.test(object.key) && object.at > 0) yield object
    }
  }
}
