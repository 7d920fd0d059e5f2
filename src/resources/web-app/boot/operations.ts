import { viewerId } from '#core/actor.ts'
import type { Operation } from '#core/route.ts'
import { fromJson } from '#lib/json.ts'
import { feedState, historyOf } from '#resources/changes/store.ts'
import { selectMembers } from '#resources/members/store.ts'
import { countUnreadNotifications } from '#resources/notifications/operations.ts'
import { selectProjects } from '#resources/projects/store.ts'
import { loadSessionRecord } from '#resources/sessions/operations.ts'
import { pinnedViews } from '#resources/web-app/views/store.ts'
import { ROLE_RIGHTS } from '#wire/rights.ts'
import {
  type getBoot,
  MAX_BOOT_DUE_TASKS,
  MAX_BOOT_MEMBERS,
  MAX_BOOT_PROJECTS,
} from './contract.ts'
import { assignedDueTasks, formerMembers } from './store.ts'

const FIRST_PAGE = { after_key: '', after_id: '' }
const BY_ID = { column: null, descending: false, continued: false }
const ALL_PROJECTS = selectProjects({
  order: BY_ID,
  has: { status: false, words: false, lead_id: false, updated_since: false },
})
const ACTIVE_MEMBERS = selectMembers({
  order: BY_ID,
  status: 'active',
  has: { role: false, q: false },
})

export const get: Operation<typeof getBoot> = async (tx) => {
  // Read first, so that the client misses no change between this reply and its live updates.
  const changes = await tx.one(feedState, {})
  const { credential_id } = tx.actor
  const projects = await tx.all(ALL_PROJECTS, {
    ...FIRST_PAGE,
    limit: MAX_BOOT_PROJECTS,
    status: '',
    words: [],
    prefix: '',
    lead_id: '',
    updated_since: '',
  })
  const members = await tx.all(ACTIVE_MEMBERS, {
    ...FIRST_PAGE,
    limit: MAX_BOOT_MEMBERS,
    role: [],
    words: [],
    email: '',
    project_id: '',
  })
  return {
    session: await loadSessionRecord(tx, viewerId(tx.actor), credential_id ?? ''),
    roles: ROLE_RIGHTS,
    projects: projects.map(({ json }) => fromJson(json)),
    members: members.map(({ json }) => fromJson(json)),
    former: await tx.all(formerMembers, {}),
    views: (await tx.all(pinnedViews, {})).map(({ json }) => fromJson(json)),
    mine: { due: await tx.all(assignedDueTasks, { limit: MAX_BOOT_DUE_TASKS }) },
    inbox: { unread: await countUnreadNotifications(tx) },
    position: changes ? `${changes.newest}.${historyOf(tx.actor, changes)}` : '',
    settings: tx.settings.web,
  }
}
