import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { form } from '../support/form.ts'
import type { HostileFile } from './hostile-files.ts'

/** A Docket with a task, as those see it who attach to it and who look at its disk. */
export interface Target {
  server: FastifyInstance
  key: string
  workspace: string
  task: string
  dataDir: string
}

const HEADERS: Record<string, string> = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'accept-ranges': 'bytes',
}

/**
 * E30: attaches a file, raw and in a form, and tells what is wrong with what comes of it: taken whole,
 * shown as data, handed out only to be saved, and kept under nothing that its sender has named.
 */
export async function attacked(target: Target, file: HostileFile): Promise<string[]> {
  const { name, type, content } = file
  const quoted = name.replaceAll('"', '%22').replace(/[\r\n]/g, ' ')
  const asForm = form({ name: 'file', filename: quoted, content, ...(type && { type }) })
  const query = `filename=${encodeURIComponent(name.toWellFormed())}`
  return [
    ...(await sent(target, file, name, {
      query,
      headers: { 'content-type': type },
      body: content,
    })),
    ...(await sent(target, file, quoted, { ...asForm, query: '', body: Buffer.from(asForm.raw) })),
  ]
}

async function sent(
  { server, key, task, workspace, dataDir }: Target,
  { type, content }: HostileFile,
  name: string,
  { query, headers, body }: { query: string; headers: Record<string, string>; body: Buffer },
): Promise<string[]> {
  const authorization = `Bearer ${key}`
  const before = filesIn(dataDir)
  const reply = await server.inject({
    method: 'POST',
    url: `/api/v1/tasks/${task}/attachments?${query}`,
    headers: { ...headers, authorization },
    payload: body,
  })
  const wrong: string[] = []
  const tell = (what: string) => wrong.push(`${JSON.stringify(name.slice(0, 40))} ${type}: ${what}`)
  const added = filesIn(dataDir).filter((path) => !before.includes(path))
  if (reply.statusCode === 422) {
    if (reply.json().error.details[0]?.field !== 'filename') tell(reply.body)
    if (added.length > 0) tell(`is refused and leaves ${added}`)
    return wrong
  }
  if (reply.statusCode !== 201) return [...wrong, `${name}: ${reply.statusCode} ${reply.body}`]
  const { id, filename, sha256 } = reply.json()
  if (filename !== name.trim()) tell(`is called ${filename}`)
  if (sha256 !== digest(content)) tell('has another digest')
  if (added.join() !== join('files', workspace, id)) tell(`lies at ${added}`)
  const url = `/api/v1/attachments/${id}/content`
  const got = await server.inject({ url, headers: { authorization, accept: 'text/html,image/*' } })
  if (!got.rawPayload.equals(content)) tell('comes back as something else')
  for (const [header, value] of Object.entries(HEADERS)) {
    if (got.headers[header] !== value) tell(`comes with ${header}: ${got.headers[header]}`)
  }
  const disposition = String(got.headers['content-disposition'])
  const [, encoded = ''] =
    /^attachment; filename\*=UTF-8''([\w!#$&+.^`|~%-]+)$/.exec(disposition) ?? []
  if (decodeURIComponent(encoded) !== filename) tell(`is handed out as ${disposition}`)
  const bare = await server.inject({ url })
  if (bare.statusCode !== 401) tell('opens without a credential')
  await server.inject({
    method: 'DELETE',
    url: url.replace('/content', ''),
    headers: { authorization },
  })
  return wrong
}

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** The paths of all files of a data directory, but for what the database itself writes. */
function filesIn(dataDir: string): string[] {
  return readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(dataDir, path), { throwIfNoEntry: false })?.isFile())
    .filter((path) => !path.startsWith('docket.db'))
}

/** A row of an attachment, as far as its file goes. */
export interface Row {
  workspace_id: string
  id: string
  size_bytes: number
  sha256: string
}

/** Rows whose file is not there, or is another one: there is none, whatever happened (U4). */
export function withoutFile(dataDir: string, rows: readonly Row[]): string[] {
  return rows.flatMap(({ workspace_id, id, size_bytes, sha256 }) => {
    const path = join(dataDir, 'files', workspace_id, id)
    if (!existsSync(path)) return [`${id} has no file`]
    const bytes = readFileSync(path)
    const isIt = bytes.length === size_bytes && digest(bytes) === sha256
    return isIt ? [] : [`${id} has another file`]
  })
}
