import type { Boot } from '#resources/web-app/boot/contract.ts'
import { runWhenIdle } from '../../lib/browser/run-when-idle.ts'
import { deleteCachedReplies, listReplyKeys, readReplies } from '../../lib/http/reply-writer.ts'
import { bootState, isBootExact } from './boot.ts'
import {
  type CopyRights,
  findEndedKeys,
  findEndedTexts,
  needsText,
  type ReplyText,
} from './copy-rights.ts'

const MAX_IDLE_WAIT_MS = 5_000
/** Each read takes part of a frame. */
const READS_AT_ONCE = 50

/**
 * Deletes what the browser has kept of projects and workspaces that the person does not see any more:
 * once the server has said which these are, and whenever that changes. Returns a function that ends it.
 */
export function deleteEndedCopies(): () => void {
  let lastListing = ''
  const compare = () => {
    const boot = bootState.get()
    // That of an earlier page may lack what is kept since.
    if (!boot || !isBootExact()) return
    const rights = toRights(boot)
    const listing = [...rights.workspaceIds, ...rights.projectIds].join()
    if (listing === lastListing) return
    lastListing = listing
    runWhenIdle(() => void deleteEnded(rights), MAX_IDLE_WAIT_MS)
  }
  compare()
  return bootState.subscribe(compare)
}

const toRights = ({ session, projects }: Boot): CopyRights => ({
  user_id: session.user.id,
  workspace_id: session.workspace.id,
  workspaceIds: new Set(session.workspaces.map(({ id }) => id)),
  projectIds: new Set(projects.map(({ id }) => id)),
})

async function deleteEnded(rights: CopyRights): Promise<void> {
  const keys = await listReplyKeys()
  const endedKeys = new Set(findEndedKeys(keys, rights))
  await deleteCachedReplies([...endedKeys])
  const unclearKeys = keys.filter((key) => !endedKeys.has(key) && needsText(key, rights))
  const replies: ReplyText[] = []
  for (let at = 0; at < unclearKeys.length; at += READS_AT_ONCE) {
    await new Promise<void>((resolve) => runWhenIdle(resolve, MAX_IDLE_WAIT_MS))
    replies.push(...(await readReplies(unclearKeys.slice(at, at + READS_AT_ONCE))))
  }
  await deleteCachedReplies(findEndedTexts(replies, rights))
}
