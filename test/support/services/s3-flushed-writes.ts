import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/*
 * Loaded into s3rver, which would answer an upload when it has read the last byte: it may write the
 * object afterwards, over what a test has written there since.
 */

interface UploadedObject {
  bucket: string
  key: string
  content: Readable | Buffer
  metadata: object
}

interface StoredContent {
  size: number
  md5: string
}

interface FilesystemStore {
  getResourcePath(bucket: string, key: string | undefined, resource: string): string
  putMetadata(bucket: string, key: string, metadata: object, md5: string): Promise<void>
  putObject(object: UploadedObject): Promise<StoredContent>
  putPart(bucket: string, id: string, part: number, content: Readable): Promise<StoredContent>
}

const Store = createRequire(import.meta.url)('s3rver/lib/stores/filesystem') as {
  prototype: FilesystemStore
}

Store.prototype.putObject = async function ({ bucket, key, content, metadata }) {
  const stored = await store(this.getResourcePath(bucket, key, 'object'), content)
  await this.putMetadata(bucket, key, metadata, stored.md5)
  return stored
}

Store.prototype.putPart = async function (bucket, id, part, content) {
  const path = join(this.getResourcePath(bucket, undefined, 'uploads'), id, String(part))
  const stored = await store(path, content)
  await writeFile(`${path}.md5`, stored.md5)
  return stored
}

/** Resolves when the whole file is written. */
async function store(path: string, content: Readable | Buffer): Promise<StoredContent> {
  await mkdir(dirname(path), { recursive: true })
  const hash = createHash('md5')
  let size = 0
  async function* measure(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk)
      size += chunk.length
      yield chunk
    }
  }
  const source = Buffer.isBuffer(content) ? [content] : content
  await pipeline(source, measure, createWriteStream(path))
  return { size, md5: hash.digest('hex') }
}
