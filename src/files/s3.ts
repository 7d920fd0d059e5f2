import { missingFileError, throwUnreadable } from './disk.ts'
import { rethrowUnavailable } from './draft.ts'
import { FILE_KEY, type FileStore } from './files.ts'
import { createS3Client, type S3Settings, toNodeStream } from './s3-client.ts'

export type { S3Settings }

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
