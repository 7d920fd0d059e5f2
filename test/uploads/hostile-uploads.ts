import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { multipartForm } from '../support/scenario/multipart-form.ts'
import type { HostileFile } from './hostile-files.ts'

/** A Docket with a task to attach files to, and its data directory. */
export interface UploadTarget {
  server: FastifyInstance
  key: string
  workspace: string
  task: string
  dataDir: string
}

const REQUIRED_HEADERS: Record<string, string> = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'accept-ranges': 'bytes',
}

/**
 * Attaches a file, raw and in a form, and returns faults. It must be stored completely, under a
 * path that its sender cannot influence, and be served only as a download.
 */
export async function uploadHostileFile(
  target: UploadTarget,
  file: HostileFile,
): Promise<string[]> {
  const { name, type, content } = file
  const quoted = name.replaceAll('"', '%22').replace(/[\r\n]/g, ' ')
  const asForm = multipartForm({ name: 'file', filename: quoted, content, ...(type && { type }) })
  const query = `filename=${encodeURIComponent(name.toWellFormed())}`
  return [
    ...(await uploadAndCheck(target, file, name, {
      query,
      headers: { 'content-type': type },
      body: content,
    })),
    ...(await uploadAndCheck(target, file, quoted, {
      ...asForm,
      query: '',
      body: Buffer.from(asForm.raw),
    })),
  ]
}

async function uploadAndCheck(
  { server, key, task, workspace, dataDir }: UploadTarget,
  { type, content }: HostileFile,
  name: string,
  { query, headers, body }: { query: string; headers: Record<string, string>; body: Buffer },
): Promise<string[]> {
  const authorization = `Bearer ${key}`
  const before = listFiles(dataDir)
  const reply = await server.inject({
    method: 'POST',
    url: `/api/v1/tasks/${task}/attachments?${query}`,
    headers: { ...headers, authorization },
    payload: body,
  })
  const wrong: string[] = []
  const addFault = (what: string) =>
    wrong.push(`${JSON.stringify(name.slice(0, 40))} ${type}: ${what}`)
  const added = listFiles(dataDir).filter((path) => !before.includes(path))
  if (reply.statusCode === 422) {
    if (reply.json().error.details[0]?.field !== 'filename') addFault(reply.body)
    if (added.length > 0) addFault(`is refused and leaves ${added}`)
    return wrong
  }
  if (reply.statusCode !== 201) return [...wrong, `${name}: ${reply.statusCode} ${reply.body}`]
  const { id, filename, sha256 } = reply.json()
  const visibleName = name.trim().replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '_')
  if (filename !== visibleName) addFault(`is called ${filename}`)
  if (sha256 !== sha256Of(content)) addFault('has another digest')
  if (added.join() !== join('files', workspace, id)) addFault(`lies at ${added}`)
  const url = `/api/v1/attachments/${id}/content`
  const download = await server.inject({
    url,
    headers: { authorization, accept: 'text/html,image/*' },
  })
  if (!download.rawPayload.equals(content)) addFault('comes back as something else')
  for (const [header, value] of Object.entries(REQUIRED_HEADERS)) {
    if (download.headers[header] !== value)
      addFault(`comes with ${header}: ${download.headers[header]}`)
  }
  const disposition = String(download.headers['content-disposition'])
  const [, encoded = ''] =
    /^attachment; filename="[ !#$&-[\]-~]*"; filename\*=UTF-8''([\w!#$&+.^`|~%-]+)$/.exec(
      disposition,
    ) ?? []
  if (decodeURIComponent(encoded) !== filename) addFault(`is handed out as ${disposition}`)
  const unauthenticated = await server.inject({ url })
  if (unauthenticated.statusCode !== 401) addFault('opens without a credential')
  await server.inject({
    method: 'DELETE',
    url: url.replace('/content', ''),
    headers: { authorization },
  })
  return wrong
}

const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Lists all files of a data directory except those of the database. */
function listFiles(dataDir: string): string[] {
  return readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(dataDir, path), { throwIfNoEntry: false })?.isFile())
    .filter((path) => !path.startsWith('docket.db'))
}

/** The columns of an attachment that describe its file. */
export interface StoredAttachmentRow {
  workspace_id: string
  id: string
  size_bytes: number
  sha256: string
}

/** Finds rows whose file is missing or has other content. There must be none at any time. */
export function findRowsWithoutFile(
  dataDir: string,
  rows: readonly StoredAttachmentRow[],
): string[] {
  return rows.flatMap(({ workspace_id, id, size_bytes, sha256 }) => {
    const path = join(dataDir, 'files', workspace_id, id)
    if (!existsSync(path)) return [`${id} has no file`]
    const bytes = readFileSync(path)
    const isSame = bytes.length === size_bytes && sha256Of(bytes) === sha256
    return isSame ? [] : [`${id} has another file`]
  })
}
