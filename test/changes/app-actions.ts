import { bumpAuthVersion } from '#auth/auth-version.ts'
import { changeProfile } from '#auth/users/accounts.ts'
import { systemActor } from '#cli/installation.ts'
import type { WriteTx } from '#core/transaction.ts'
import { stopLongTimers } from '#jobs/jobs.ts'
import { emptyTrash } from '#jobs/purges.ts'
import { redactErasedPeople } from '#jobs/redact-erased-people.ts'
import { addMember } from '#resources/members/membership.ts'
import { erasePerson } from '#resources/offboarding/handover.ts'
import { addProject } from '#resources/projects/create-project.ts'
import { addMemberToProject } from '#resources/projects/people.ts'
import { changeProject } from '#resources/projects/write-operations.ts'
import { DEFAULT_STATUSES } from '../../src/resources/projects/statuses.ts'
import { type DocketWorld, type HistoryPerson, renewKey, write } from './history-world.ts'
import { EXTRA_STATUS } from './task-actions.ts'

/** As those of the API, but by more than requests. */
export type DocketAction = (world: DocketWorld, person: HistoryPerson) => Promise<unknown>

const HOUR_MS = 60 * 60 * 1_000
const DAY_MS = 24 * HOUR_MS
const ROLES = ['admin', 'member', 'guest'] as const
const VISIBILITIES = ['workspace', 'private'] as const

const anyPrefix = ({ choices }: DocketWorld) => `P${choices.below(1_000)}`
const anyProject = ({ choices, projects }: DocketWorld) => choices.pick(projects) ?? ''

/** Somebody whose rights change. The owner stays, so that there is always one. */
const anyPerson = ({ choices, people }: DocketWorld): HistoryPerson =>
  choices.pick([people.member, people.guest, people.member, people.guest, people.admin]) ??
  people.guest

/** Runs what the command line runs, as the system. */
async function runAsSystem<T>(
  { docket, team }: DocketWorld,
  work: (tx: WriteTx) => Promise<T>,
): Promise<T> {
  return docket.storage.write(systemActor(team.workspace), async (tx) => {
    const result = await work(tx)
    await bumpAuthVersion(tx)
    return result
  })
}

const createProject: DocketAction = async (world, person) => {
  const { choices } = world
  const body = {
    name: 'Another',
    prefix: anyPrefix(world),
    visibility: choices.pick(VISIBILITIES),
    ...(choices.chance(0.3) && { lead_id: world.people.member.id }),
  }
  const { id } = await write(world, person, 'POST /internal/projects', body)
  if (id !== '') world.projects.push(id)
}

/** Changes fields of a project as its manager. */
const updateProject =
  (change: (world: DocketWorld) => object): DocketAction =>
  (world) =>
    write(world, world.people.owner, `PATCH /internal/projects/${anyProject(world)}`, change(world))

const archiveProject: DocketAction = async (world) => {
  const id = anyProject(world)
  await write(world, world.people.owner, `POST /internal/projects/${id}/archive`)
  if (world.choices.chance(0.8))
    await write(world, world.people.owner, `POST /internal/projects/${id}/unarchive`)
}

const changePeopleList =
  (method: 'PUT' | 'DELETE'): DocketAction =>
  (world) => {
    const line = `${method} /internal/projects/${anyProject(world)}/people/${anyPerson(world).id}`
    return write(world, world.people.owner, line)
  }

const changeRole: DocketAction = (world) => {
  const line = `PATCH /internal/members/${anyPerson(world).id}`
  return write(world, world.people.owner, line, { role: world.choices.pick(ROLES) })
}

const removeMember: DocketAction = async (world) => {
  const person = anyPerson(world)
  const { status } = await write(world, world.people.owner, `DELETE /internal/members/${person.id}`)
  if (status !== 204) return
  person.isMember = false
  person.cookie = undefined
}

/** As `docket member add` does. */
const returnMember: DocketAction = async (world) => {
  const { choices, people } = world
  const person = Object.values(people).find(({ isMember, key }) => !isMember && key !== '')
  if (!person) return
  const role = choices.pick(ROLES) ?? 'guest'
  const projects = choices.some(world.projects, 2)
  world.log.push(`command line: member add ${person.role} as ${role} to ${projects.join(' ')}`)
  await runAsSystem(world, async (tx) => {
    await addMember(tx, { user_id: person.id, name: `The ${person.role}`, role })
    for (const project_id of projects)
      await addMemberToProject(tx, { project_id, user_id: person.id }, 'project')
  })
  person.isMember = true
  await renewKey(world, person)
}

const changeAccount: DocketAction = (world, person) => {
  const { choices } = world
  const body = choices.pick([
    { name: `Name ${choices.below(100)}` },
    { avatar_url: `https://example.com/${choices.below(100)}.png` },
    { timezone: choices.pick(['UTC', 'Europe/Zurich']), locale: choices.pick(['de', 'en']) },
  ])
  return write(world, person, 'PATCH /internal/account', body)
}

/** The request needs the password, which test accounts lack. */
const changeEmail: DocketAction = async (world, person) => {
  const email = `mail.${person.id}.${world.choices.below(1_000)}@example.com`
  world.log.push(`${person.role}: changes the email address`)
  await runAsSystem(world, (tx) => changeProfile(tx, person.id, { email }))
}

const handOver: DocketAction = (world) => {
  const line = `POST /internal/members/${anyPerson(world).id}/hand-over`
  return write(world, world.people.owner, line, { to: world.choices.pick(['nobody', 'leads']) })
}

const copyTask: DocketAction = async (world, person) => {
  const id = world.choices.pick(world.tasks)?.id ?? 'none'
  const { body, status } = await write(world, person, `POST /internal/tasks/${id}/copy`)
  if (status === 201) world.tasks.push(body.task as { id: string; project_id: string })
}

const mergeTags: DocketAction = async (world, person) => {
  const { choices, tags } = world
  const id = choices.pick(tags)?.id ?? 'none'
  const body = { into_id: choices.pick(tags)?.id ?? '' }
  await write(world, person, `POST /internal/tags/${id}/merge`, body)
}

const saveTemplate: DocketAction = async (world, person) => {
  const task_id = world.choices.pick(world.tasks)?.id ?? ''
  const { id } = await write(world, person, 'POST /internal/templates', { task_id, name: 'T' })
  if (id !== '') world.templates.push(id)
}

const instantiateTemplate: DocketAction = async (world, person) => {
  const id = world.choices.pick(world.templates)
  if (id === undefined) return
  const { body, status } = await write(world, person, `POST /internal/templates/${id}/use`)
  if (status === 201) world.tasks.push(body.task as { id: string; project_id: string })
}

const useCommandLine: DocketAction = async (world) => {
  const { choices, team } = world
  const id = anyProject(world)
  const kind = choices.below(3)
  world.log.push(`command line: project ${['create', 'update --visibility', 'archive'][kind]}`)
  await runAsSystem(world, async (tx) => {
    if (kind === 0) {
      const by = { created_by_id: team.people.owner }
      world.projects.push((await addProject(tx, { name: 'By command', ...by })).id)
    } else if (kind === 1)
      await changeProject(tx, id, { visibility: choices.pick(VISIBILITIES) ?? 'private' })
    else await changeProject(tx, id, { archived: false })
  })
}

/** The account is erased, and the background job redacts its name. */
const eraseAdmin: DocketAction = async (world) => {
  const { docket, people } = world
  if (!people.admin.isMember || world.choices.chance(0.5)) return
  world.log.push('command line: erases the admin')
  people.admin.isMember = false
  await erasePerson(docket.storage, people.admin.id, { actorIn: systemActor })
  for (const step = redactErasedPeople(docket.storage); await step(); );
  // Nobody returns to an account that is erased.
  people.admin.key = ''
}

const stopTimers: DocketAction = async ({ docket, log }) => {
  log.push('a day passes')
  docket.clock.advance(25 * HOUR_MS)
  for (const step = stopLongTimers(docket.storage); await step(); );
}

/** Purges what was deleted, once the deletion need not be remembered any more. */
export const purgeTrash: DocketAction = async (world) => {
  const { docket, people, log } = world
  log.push('a month passes')
  docket.clock.advance(31 * DAY_MS)
  for (const person of Object.values(people)) person.cookie = undefined
  for (const step = emptyTrash(docket.storage, 30); await step(); );
}

/** Restores a comment that somebody has deleted, if the person may. */
const restoreComment: DocketAction = async (world, person) => {
  const { body } = await write(world, person, 'GET /internal/trash/comments')
  const { id } = world.choices.pick((body.data ?? []) as { id: string }[]) ?? {}
  if (id !== undefined) await write(world, person, `POST /internal/comments/${id}/restore`)
}

/** Renames the statuses of a project, and adds one or removes it. */
const anyStatuses = ({ choices }: DocketWorld) => {
  const kept = DEFAULT_STATUSES.map(({ key, category }) => ({ key, category }))
  const extra = { key: EXTRA_STATUS, category: 'started' } as const
  const statuses = choices.chance(0.7) ? [extra, ...kept] : kept
  return statuses.map((status, at) => ({ ...status, name: `Status ${at} ${choices.below(9)}` }))
}

const anyLead = ({ choices, people }: DocketWorld) =>
  choices.pick([null, people.member.id, people.guest.id, people.owner.id])

/** Operations that change rights, which another process caches for a moment. */
export const MEMBERSHIP_ACTIONS: readonly (readonly [weight: number, action: DocketAction])[] = [
  [3, changeRole],
  [2, removeMember],
  [4, returnMember],
  [1, eraseAdmin],
]

/** Other operations of the web app, the command line and background jobs, each with how often it is chosen. */
export const APP_ACTIONS: readonly (readonly [weight: number, action: DocketAction])[] = [
  [3, createProject],
  [2, updateProject(({ choices }) => ({ name: `Name ${choices.below(99)}` }))],
  [2, updateProject((world) => ({ prefix: anyPrefix(world) }))],
  [2, updateProject((world) => ({ statuses: anyStatuses(world) }))],
  [4, updateProject(({ choices }) => ({ visibility: choices.pick(VISIBILITIES) }))],
  [3, updateProject((world) => ({ lead_id: anyLead(world) }))],
  [1, archiveProject],
  [5, changePeopleList('PUT')],
  [4, changePeopleList('DELETE')],
  [3, changeAccount],
  [1, changeEmail],
  [1, handOver],
  [2, copyTask],
  [4, restoreComment],
  [3, mergeTags],
  [1, saveTemplate],
  [2, instantiateTemplate],
  [2, useCommandLine],
  [2, stopTimers],
]
