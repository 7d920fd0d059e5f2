import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { storedBytesAfter } from '#db/workspaces/stored-bytes.ts'
import { createFindings, type Finding } from './finding.ts'

const { ok, warning } = createFindings('storage')

const PAGE_SIZE = 500
/** A workspace with more than this part of its quota is reported. */
const WARNING_PART = 0.8
const MAX_NAMED = 5
const GIGABYTE = 1024 ** 3

/** Checks how much of its quota each workspace has used, and how much all of them store. */
export async function checkStorage(storage: Storage, workspaceBytes: number): Promise<Finding> {
  const nearlyFull: string[] = []
  let total = 0
  for (let after = '', isLast = false; !isLast; ) {
    const page = await storage.read(ANONYMOUS_ACTOR, (tx) =>
      tx.all(storedBytesAfter, { after, limit: PAGE_SIZE }),
    )
    for (const { id, content_bytes, history_bytes } of page) {
      const used = content_bytes + history_bytes
      total += used
      const percent = Math.floor((used / workspaceBytes) * 100)
      if (used > WARNING_PART * workspaceBytes) nearlyFull.push(`${id} (${percent} %)`)
    }
    after = page.at(-1)?.id ?? after
    isLast = page.length < PAGE_SIZE
  }
  const sum = `${(total / GIGABYTE).toFixed(1)} GiB in all`
  if (nearlyFull.length === 0) return ok(`${sum}, and no workspace is nearly full`)
  const others = nearlyFull.length - MAX_NAMED
  const named = nearlyFull.slice(0, MAX_NAMED).join(', ')
  return warning(
    `${sum}; nearly full: ${named}${others > 0 ? ` and ${others} more` : ''}`,
    'Have attachments and tasks deleted there, or raise DOCKET_WORKSPACE_BYTES if the disk has room.',
  )
}
