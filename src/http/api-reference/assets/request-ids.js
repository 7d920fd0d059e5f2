import { fetchReply } from './request-fetch.js'

// Ids of the reader's workspace, which replace those of the examples: a request can be sent as it is
// and names a record that exists.

/** Where records are listed, by the prefix of their ids. `{prj}` is the first known project, and `restorable` are deleted tasks. */
const LISTS = {
  prj: '/api/v1/projects?limit=20',
  tsk: '/api/v1/tasks?limit=20',
  usr: '/api/v1/workspace/members?limit=20',
  whk: '/api/v1/webhooks?limit=20',
  tag: '/api/v1/projects/{prj}/tags?limit=20',
  cmt: '/api/v1/tasks/{tsk}/comments?limit=20',
  tme: '/api/v1/tasks/{tsk}/time-entries?limit=20',
  att: '/api/v1/tasks/{tsk}/attachments?limit=20',
  dlv: '/api/v1/webhooks/{whk}/deliveries?limit=20',
  restorable: '/api/v1/tasks?deleted=only&limit=20',
}

const ID = /\b([a-z]{3})_[0-9a-hjkmnp-tv-z]{26}\b/g

/** Known records by workspace and prefix: `{ id, shortId, label }`. */
const recordsByWorkspace = new Map()

/** The kind of id that an example shows: "ENG-42" is the short id of a task. */
export function prefixOf(example) {
  if (/^[A-Z]+-\d+$/.test(example)) return 'tsk'
  return /^([a-z]{3})_/.exec(example)?.[1]
}

/** The records of a workspace that are known by now, the newest first. */
export async function loadRecords(workspaceId, prefix) {
  const records = recordsOf(workspaceId)
  if (!LISTS[prefix]) return records[prefix] ?? []
  const [, parent] = /\{(\w+)\}/.exec(LISTS[prefix]) ?? []
  const [first] = parent ? await loadRecords(workspaceId, parent) : []
  if (parent && !first) return records[prefix] ?? []
  records[prefix] ??= await listRecords(LISTS[prefix].replace(/\{\w+\}/, first?.id))
  return records[prefix]
}

/** Puts a record that was just created before the others of its kind. */
export function rememberRecord(workspaceId, record) {
  const prefix = prefixOf(record?.id ?? '')
  if (!prefix) return
  const records = recordsOf(workspaceId)
  records[prefix] = [toChoice(record), ...(records[prefix] ?? [])]
}

/** Reads the lists anew when a record was deleted. */
export const forgetRecords = (workspaceId) => recordsByWorkspace.delete(workspaceId)

/**
 * Replaces the ids of an example by those of the workspace. Without a record of a kind, its id stays
 * where a field needs it, and is left out of lists.
 */
export async function replaceIds(workspaceId, example) {
  const replacements = new Map()
  for (const [id, prefix] of JSON.stringify(example).matchAll(ID)) {
    const records = await loadRecords(workspaceId, prefix)
    const used = [...replacements.values()]
    const unused = records.find((record) => !used.includes(record.id)) ?? records[0]
    if (unused && !replacements.has(id)) replacements.set(id, unused.id)
  }
  const known = new Set(replacements.values())
  const isUnknown = (value) => typeof value === 'string' && isId(value) && !known.has(value)
  // A list is visited after its members.
  const replace = (_, value) => {
    if (Array.isArray(value)) return value.filter((member) => !isUnknown(member))
    if (typeof value !== 'string') return value
    return value.replace(ID, (id) => replacements.get(id) ?? id)
  }
  return JSON.parse(JSON.stringify(example), replace)
}

const isId = (text) => text !== '' && text.replace(ID, '') === ''

function recordsOf(workspaceId) {
  const records = recordsByWorkspace.get(workspaceId) ?? {}
  recordsByWorkspace.set(workspaceId, records)
  return records
}

/** Without the right to list them, or without a connection, nothing is suggested. */
async function listRecords(url) {
  const response = await fetchReply(url).catch(() => undefined)
  if (!response?.ok) return []
  return (await response.json()).data.map(toChoice)
}

const toChoice = ({ id, short_id: shortId, title, name, url, filename }) => ({
  id,
  shortId,
  label: [shortId, title ?? name ?? url ?? filename].filter(Boolean).join(' '),
})
